// Tool definitions and the choice among them (§1.6): names, doubles, deferral, forced use.

import { invalid } from '../core/refusal.ts';
import type { MessageRefusal } from '../core/refusal.ts';
import { isDeferred } from './request.ts';
import type { SentBlock, WireRequest } from './request.ts';
import { isObject, objectAt, textOf } from '../core/wire.ts';
import type { WireObject } from '../core/wire.ts';
import { firstRefusal } from './rule.ts';
import type { RequestRule } from './rule.ts';

const NAME = /^[a-zA-Z0-9_-]{1,128}$/;

/** Refuses a tool list or a tool choice that the service would not take. */
export const checkTools: RequestRule = (request) => {
  const tools = request.blocks.filter((block) => block.level === 'tools');
  return firstRefusal(tools, checkTool) ?? checkDoubles(tools) ?? checkDeferral(tools) ?? checkChoice(request, tools);
};

function checkTool(tool: SentBlock): MessageRefusal | undefined {
  const { name } = tool.fields;
  const path = `tools.${tool.content}`;
  if (isDeferred(tool) && tool.marker !== undefined) {
    return invalid(
      `Tool '${textOf(name)}' cannot have both defer_loading=true and cache_control set. Tools with defer_loading cannot use prompt caching.`,
    );
  }
  return checkDefinition(tool.fields, path);
}

/** What is wrong with one definition of a tool, wherever it stands. */
export function checkDefinition(
  { type, name, input_schema: schema }: WireObject,
  path: string,
): MessageRefusal | undefined {
  if (type !== undefined && type !== null && type !== 'custom') return undefined;
  if (typeof name !== 'string') return invalid(`${path}.custom.name: Field required`);
  if (!NAME.test(name)) return invalid(`${path}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
  return isObject(schema) ? checkSchema(schema['type'], path) : invalid(`${path}.custom.input_schema: Field required`);
}

function checkSchema(type: unknown, path: string): MessageRefusal | undefined {
  if (type === undefined) return invalid(`${path}.custom.input_schema.type: Field required`);
  return type === 'object' ? undefined : invalid(`${path}.custom.input_schema.type: Input should be 'object'`);
}

function checkDoubles(tools: readonly SentBlock[]): MessageRefusal | undefined {
  const names = tools.map((tool) => tool.fields['name']).filter((name) => typeof name === 'string');
  return new Set(names).size === names.length ? undefined : invalid('tools: Tool names must be unique.');
}

function checkDeferral(tools: readonly SentBlock[]): MessageRefusal | undefined {
  if (tools.length === 0 || !tools.every(isDeferred)) return undefined;
  return invalid('At least one tool must have defer_loading=false. All tools cannot be deferred.');
}

function checkChoice(request: WireRequest, tools: readonly SentBlock[]): MessageRefusal | undefined {
  const choice = objectAt(request.fields, 'tool_choice');
  const { type, name } = choice;
  if (type === undefined) return undefined;
  if (tools.length === 0 && type !== 'none') {
    return invalid('tool_choice may only be specified while providing tools.');
  }
  if (type !== 'any' && type !== 'tool') return undefined;
  if (!request.capabilities.forcedToolChoice) {
    return invalid('tool_choice: type "tool" and "any" are not supported for this model.');
  }
  const thinking = objectAt(request.fields, 'thinking')['type'];
  if (thinking === 'enabled') return invalid('Thinking may not be enabled when tool_choice forces tool use.');
  if (type === 'any' || tools.some((tool) => tool.fields['name'] === name)) return undefined;
  return invalid(`Tool '${textOf(name)}' not found in provided tools`);
}
