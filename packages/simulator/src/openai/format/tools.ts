// Checks tool definitions and the tool choice in the Responses and Chat APIs: names, types and schemas.

import { isPresent, isList, isObject, objectAt, textOf } from '../../core/wire.ts';
import type { WireObject } from '../../core/wire.ts';
import { missingParameter, tooLong, wrongType, bad } from './refusal.ts';
import { firstRefusal } from '../../core/refusal.ts';
import { toolName } from './prompt.ts';
import type { OpenAIWire } from './prompt.ts';
import type { OpenAIRefusal } from './refusal.ts';

const NAME = /^[a-zA-Z0-9_-]+$/;

const LONGEST_NAME = 64;

/** Refuses a tool list or a tool choice that the real service would refuse. */
export function checkTools(fields: WireObject, wire: OpenAIWire, path = 'tools'): OpenAIRefusal | undefined {
  const tools = isList(fields['tools']) ? fields['tools'] : [];
  return (
    firstRefusal(tools.entries(), ([i, tool]) => checkTool(tool, `${path}[${i}]`, wire)) ??
    checkChoice(fields, tools, wire)
  );
}

function checkTool(tool: unknown, path: string, wire: OpenAIWire): OpenAIRefusal | undefined {
  if (!isObject(tool)) return wrongType(path, 'an object', tool);
  if (typeof tool['type'] !== 'string') return missingParameter(`${path}.type`);
  if (tool['type'] !== 'function') return undefined;
  if (wire === 'responses') return checkFunction(tool, path, path);
  if (!isObject(tool['function'])) return missingParameter(`${path}.function`);
  return checkFunction(tool['function'], `${path}.function`, path);
}

function checkFunction(definition: WireObject, path: string, outer: string): OpenAIRefusal | undefined {
  const { name, parameters, strict } = definition;
  if (typeof name !== 'string') return missingParameter(`${path}.name`);
  if (!NAME.test(name)) {
    return bad(
      `Invalid '${path}.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
      `${path}.name`,
      'invalid_value',
    );
  }
  const long = tooLong(`${path}.name`, name, LONGEST_NAME);
  if (long !== undefined || !isPresent(parameters)) return long;
  if (!isObject(parameters)) return wrongType(`${path}.parameters`, 'an object', parameters);
  const wrong = wrongSchema(parameters, strict === true);
  if (wrong === undefined) return undefined;
  const text = `Invalid schema for function '${name}': ${wrong}`;
  return bad(
    text,
    path === outer ? `${path}.parameters` : `${outer}.function.parameters`,
    'invalid_function_parameters',
  );
}

function wrongSchema(schema: WireObject, strict: boolean): string | undefined {
  const { type, properties } = schema;
  if (type !== 'object') {
    return `schema must be a JSON Schema of 'type: "object"', got 'type: "${type === undefined ? 'None' : textOf(type)}"'.`;
  }
  if (isPresent(properties) && !isObject(properties)) return `${JSON.stringify(properties)} is not of type 'object'.`;
  return strict ? wrongStrict(schema) : undefined;
}

/** Checks only the outermost object of a strict schema. Returns the error text, or `undefined`. */
function wrongStrict(schema: WireObject): string | undefined {
  if (schema['additionalProperties'] !== false) {
    return "In context=(), 'additionalProperties' is required to be supplied and to be false.";
  }
  const required = isList(schema['required']) ? schema['required'] : [];
  const absent = Object.keys(objectAt(schema, 'properties')).find((name) => !required.includes(name));
  if (absent === undefined) return undefined;
  return `In context=(), 'required' is required to be supplied and to be an array including every key in properties. Missing '${absent}'.`;
}

function checkChoice(fields: WireObject, tools: readonly unknown[], wire: OpenAIWire): OpenAIRefusal | undefined {
  const choice = fields['tool_choice'];
  if (!isPresent(choice)) return undefined;
  const idle = choice === 'none' || (wire === 'responses' && choice === 'auto');
  if (tools.length === 0 && !idle) {
    return bad("'tool_choice' is only allowed when 'tools' are specified.", 'tool_choice');
  }
  if (!isObject(choice) || choice['type'] !== 'function') return undefined;
  const name = toolName(choice);
  if (tools.some((tool) => isObject(tool) && toolName(tool) === name)) return undefined;
  return bad(`Tool choice '${name}' not found in 'tools' parameter.`, 'tool_choice', 'invalid_value');
}
