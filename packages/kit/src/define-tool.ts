// A tool from a name, a schema and a function: what an author writes, as the tool that the runtime knows.

import type { StandardSchemaV1 } from '@standard-schema/spec';
import { defined } from '@tidemark/core';
import type {
  ActKind,
  Acts,
  PreviewContext,
  Tool,
  ToolContext,
  ToolOutput,
  ToolPreview,
  ToolProblem,
  ToolRun,
} from '@tidemark/agent';
import type { EffectClass } from '@tidemark/log';
import type { JsonValue } from '@tidemark/model';
import { KitError } from './kit-error.ts';
import { jsonSchemaOf } from './tool-schema.ts';

/** A tool as its author writes it. */
export interface ToolDefinition<Schema extends StandardSchemaV1> {
  /** 1 to 64 of `[a-zA-Z0-9_-]`. */
  readonly name: string;
  /** What the model reads to know when to call it. */
  readonly description: string;
  /** Any Standard Schema of an object: checks the arguments, and gives `run` their type. */
  readonly input: Schema;
  /** JSON Schema of the arguments, for a schema that cannot say it itself. */
  readonly schema?: JsonValue;
  /** What a call can do: permissions rest on it. */
  readonly effect: EffectClass;
  /** Whether a call waits for those before it and holds up those behind it. By default `write` and `execute` do. */
  readonly alone?: boolean;
  /** The end of a long output that the model is shown. Default: the head. */
  readonly keeps?: 'head' | 'tail';
  /** Names what its effect touches, for context sources. */
  readonly touches?: readonly string[];
  /** What `acts` tells: rules can look at nothing else. */
  readonly tells?: readonly ActKind[];
  /** What a call would do, as rules look at it: all of each kind in `tells`. */
  acts?(input: StandardSchemaV1.InferOutput<Schema>): Acts;
  /** One line for the person who is asked; the tool's name by default. */
  title?(input: StandardSchemaV1.InferOutput<Schema>): string;
  /** Whether all that a call changes lies inside the workspace; true by default. */
  confined?(input: StandardSchemaV1.InferOutput<Schema>): boolean;
  /** All that a call would do, for the person who is asked; changes nothing. The arguments as JSON by default. */
  preview?(input: StandardSchemaV1.InferOutput<Schema>, context: PreviewContext): ToolPreview | Promise<ToolPreview>;
  /**
   * Does the work. A string is what the model sees; any other value is shown as JSON, except an object of the fields of
   * `ToolOutput` alone, which is one. What it throws is the error of the call.
   */
  run(input: StandardSchemaV1.InferOutput<Schema>, context: ToolContext): unknown;
}

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * Makes a tool.
 *
 * @throws KitError `kit/bad-tool` for a name that no provider takes, `kit/no-schema` without a JSON Schema of an object.
 */
export function defineTool<Schema extends StandardSchemaV1>(definition: ToolDefinition<Schema>): Tool {
  const { name, description, input, effect, alone, keeps, touches, tells } = definition;
  if (!NAME.test(name)) {
    const message = `a tool cannot be called ${JSON.stringify(name)}: take 1 to 64 letters, digits, "_" or "-"`;
    throw new KitError('kit/bad-tool', message, { tool: name });
  }
  return {
    name,
    description,
    schema: jsonSchemaOf(name, input, definition.schema),
    effect,
    ...defined({ alone, keeps, touches, tells }),
    read: (given) => readArguments(definition, given),
  };
}

async function readArguments<Schema extends StandardSchemaV1>(
  definition: ToolDefinition<Schema>,
  given: unknown,
): Promise<ToolRun | ToolProblem> {
  const schema: StandardSchemaV1<unknown, StandardSchemaV1.InferOutput<Schema>> = definition.input;
  const read = await schema['~standard'].validate(given);
  if (read.issues !== undefined) return { problem: read.issues.map(issueText).join('; ') };
  const { value } = read;
  const { preview } = definition;
  return {
    title: definition.title?.(value) ?? definition.name,
    ...defined({
      confined: definition.confined === undefined ? undefined : definition.confined(value),
      acts: definition.acts === undefined ? undefined : definition.acts(value),
    }),
    ...(preview !== undefined && {
      preview: async (context: PreviewContext): Promise<ToolPreview> => preview.call(definition, value, context),
    }),
    run: async (context): Promise<ToolOutput> => outputOf(definition.name, await definition.run(value, context)),
  };
}

/** `path[0].name: expected a string`. */
function issueText({ message, path = [] }: StandardSchemaV1.Issue): string {
  const place = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
  return place === '' ? message : `${place}: ${message}`;
}

// What an author's function returned, as the output of a call.

const FIELDS: ReadonlySet<string> = new Set<keyof ToolOutput>([
  'text',
  'page',
  'images',
  'failed',
  'exit',
  'files',
  'facts',
]);

/** @throws KitError `kit/bad-tool` for a value that JSON cannot hold. */
function outputOf(tool: string, returned: unknown): ToolOutput {
  if (returned === undefined) return {};
  if (typeof returned === 'string') return { text: returned };
  return isOutput(returned) ? returned : { text: asJson(tool, returned) };
}

function isOutput(value: unknown): value is ToolOutput {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const names = Object.keys(value);
  if (names.length === 0 || !names.every((name) => FIELDS.has(name))) return false;
  if ('page' in value && typeof value.page !== 'function') return false;
  return !('text' in value) || typeof value.text === 'string';
}

function asJson(tool: string, value: unknown): string {
  try {
    const text: string | undefined = JSON.stringify(value);
    if (text !== undefined) return text;
  } catch (cause) {
    throw notJson(tool, cause);
  }
  throw notJson(tool);
}

function notJson(tool: string, cause?: unknown): KitError {
  const message = `${tool} returned what JSON cannot hold: return a string, a JSON value or a ToolOutput`;
  return new KitError('kit/bad-tool', message, { tool }, cause);
}
