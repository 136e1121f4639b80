// Defines a tool from a name, a schema and a function, and turns it into the tool type of the runtime.

import type { StandardSchemaV1 } from '@standard-schema/spec';
import { defined } from '@tidemark/core';
import type {
  CallEffects,
  EffectKind,
  PreviewContext,
  Tool,
  ToolContext,
  ToolOutput,
  ToolPreview,
  ToolProblem,
  ToolRun,
} from '@tidemark/agent';
import { describeIssues, nearestName } from '@tidemark/agent';
import type { EffectClass } from '@tidemark/log';
import type { JsonValue } from '@tidemark/model';
import { jsonProblem } from './json-problem.ts';
import { KitError } from './kit-error.ts';
import { markedOutput } from './tool-output.ts';
import { toolSchemaOf } from './tool-schema.ts';

/**
 * Functions that return the effects of a call. There is one function for each kind of effect that rules can match:
 * commands, paths and hosts.
 */
export type EffectDescriptions<Input> = {
  readonly [Kind in EffectKind]?: (input: Input) => NonNullable<CallEffects[Kind]>;
};

const EFFECT_KINDS: readonly EffectKind[] = ['commands', 'paths', 'hosts'];

/** Definition of a tool, as its author writes it. */
export interface ToolDefinition<Schema extends StandardSchemaV1> {
  /** Name of the tool: 1 to 64 characters of `[a-zA-Z0-9_-]`. */
  readonly name: string;
  /** Description for the model. From it, the model decides when to call the tool. */
  readonly description: string;
  /**
   * Standard Schema of an object, from any library. It checks the arguments and determines the argument type of `run`.
   */
  readonly input: Schema;
  /** JSON Schema of the arguments. Required if the library of `input` cannot produce a JSON Schema. */
  readonly schema?: JsonValue;
  /** Effect class of a call. Permissions depend on it. */
  readonly effect: EffectClass;
  /**
   * True if a call waits for the calls before it, and the calls after it wait until it ends. Default: true for the
   * effects `write` and `execute`, otherwise false.
   */
  readonly alone?: boolean;
  /**
   * Side of a long output that is cut off. With `end`, the default, the model is shown the beginning of the output.
   * With `start`, it is shown the end.
   */
  readonly truncate?: 'start' | 'end';
  /**
   * True if the output comes from programs. The model is then shown it as a terminal shows it: without colours, and with
   * the last state of an overwritten line. Default: false.
   */
  readonly terminal?: boolean;
  /**
   * Names for the things that a call changes, such as `structure`. A context source uses them to decide if its note is
   * out of date.
   */
  readonly touches?: readonly string[];
  /**
   * Functions that return the effects of a call, by kind of effect: `{ paths: (input) => [{ path: input.file }] }`.
   * Rules can match only the kinds that have a function here. A function must return all effects of its kind.
   */
  readonly describeEffects?: EffectDescriptions<StandardSchemaV1.InferOutput<Schema>>;
  /** Returns one line that describes the call in a permission question. Default: the name of the tool. */
  title?(input: StandardSchemaV1.InferOutput<Schema>): string;
  /** Returns true if everything that the call changes is inside the workspace. Default: true. */
  confined?(input: StandardSchemaV1.InferOutput<Schema>): boolean;
  /**
   * Returns everything that the call would do, as text for a permission question. The function must not change
   * anything. Default: the arguments as JSON.
   */
  preview?(input: StandardSchemaV1.InferOutput<Schema>, context: PreviewContext): ToolPreview | Promise<ToolPreview>;
  /**
   * Runs the call. A returned string is shown to the model unchanged, and any other value as JSON. To return images, or
   * a result that failed, return `toolOutput({ … })`. If this function throws an error, it becomes the error of the
   * call.
   */
  run(input: StandardSchemaV1.InferOutput<Schema>, context: ToolContext): unknown;
}

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * Creates a tool from its definition.
 *
 * @throws KitError `kit/bad-tool` for a name that no provider accepts, for a field that a tool does not have, and for a
 *   field of the wrong type; `kit/no-schema` if there is no JSON Schema that describes an object.
 */
export function defineTool<Schema extends StandardSchemaV1>(definition: ToolDefinition<Schema>): Tool {
  const problem = problemOf(definition);
  if (problem !== undefined) throw new KitError('kit/bad-tool', problem, { tool: definition?.name });
  const { name, description, input, effect, alone, truncate, terminal, touches, describeEffects } = definition;
  const jsonSchema = toolSchemaOf(name, input, definition.schema);
  return {
    name,
    description,
    schema: jsonSchema,
    effect,
    ...defined({ alone, truncate, terminal, touches }),
    ...(describeEffects !== undefined && { effectKinds: kindsIn(describeEffects) }),
    read: (given) => readArguments(definition, jsonSchema, given),
  };
}

const DEFINED: readonly string[] = [
  'name',
  'description',
  'input',
  'schema',
  'effect',
  'alone',
  'truncate',
  'terminal',
  'touches',
  'describeEffects',
  'title',
  'confined',
  'preview',
  'run',
] satisfies readonly (keyof ToolDefinition<StandardSchemaV1>)[];

/** Field names of other libraries. Each name has the field of `ToolDefinition` with the same purpose. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['inputSchema', 'input'],
  ['parameters', 'input'],
  ['execute', 'run'],
  ['strict', '`input` alone, which checks the arguments'],
  ['outputSchema', '`run`, whose value the model sees as JSON'],
  ['toModelOutput', '`run`, which can return toolOutput({ text, images })'],
  ['invoke', 'run'],
  ['handler', 'run'],
  ['needsApproval', '`effect` and the permissions of the agent'],
  ['keeps', 'truncate'],
  ['tells', 'describeEffects'],
  ['acts', 'describeEffects'],
]);

const EFFECTS: readonly string[] = ['none', 'read', 'write', 'execute', 'network'] satisfies readonly EffectClass[];

/**
 * Returns the first problem of a definition, or `undefined` if the definition is correct. The types are checked again
 * here, because a program in JavaScript can pass any value.
 */
function problemOf<Schema extends StandardSchemaV1>(definition: ToolDefinition<Schema>): string | undefined {
  if (typeof definition !== 'object' || definition === null)
    return 'defineTool takes an object: { name, description, … }';
  const { name, description, input, effect, run } = definition;
  if (name === undefined) return 'the field `name` is missing: use 1 to 64 letters, digits, "_" or "-"';
  if (typeof name !== 'string' || !NAME.test(name)) {
    return `${JSON.stringify(name)} is not a valid tool name: use 1 to 64 letters, digits, "_" or "-"`;
  }
  const unknown = Object.keys(definition).filter((field) => !DEFINED.includes(field));
  if (unknown.length > 0) return `the tool ${name} has ${unknown.map(unknownField).join('; and ')}`;
  if (typeof description !== 'string')
    return `the tool ${name} has no description: write what it does and what it returns`;
  if (typeof run !== 'function') return `the tool ${name} has no function \`run\``;
  if (typeof input !== 'object' && typeof input !== 'function') return `the tool ${name} has no schema \`input\``;
  if (!('~standard' in input)) return `the \`input\` of the tool ${name} is not a Standard Schema, such as one of zod`;
  if (effect === undefined)
    return `the tool ${name} has no \`effect\`: use one of ${EFFECTS.join(', ')}, which decides if a person is asked`;
  if (!EFFECTS.includes(effect))
    return `the tool ${name} has the effect ${JSON.stringify(effect)}: use one of ${EFFECTS.join(', ')}`;
  return problemOfOptional(definition) ?? problemOfEffects(definition);
}

function unknownField(field: string): string {
  const named = ELSEWHERE.get(field) ?? nearestName(field, DEFINED);
  return `an unknown field ${field}${named === undefined ? '' : `: use ${named}`}`;
}

const isFunction = (value: unknown): boolean => typeof value === 'function';

/** Checks of the optional fields of a definition, and the values that they accept. */
const OPTIONAL = {
  alone: [(value) => typeof value === 'boolean', 'true or false'],
  terminal: [(value) => typeof value === 'boolean', 'true or false'],
  truncate: [(value) => value === 'start' || value === 'end', '"start" or "end"'],
  touches: [
    (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
    'a list of names, such as ["structure"]',
  ],
  title: [isFunction, 'a function of the arguments that returns one line'],
  confined: [isFunction, 'a function of the arguments that returns true or false'],
  preview: [isFunction, 'a function of the arguments that returns { kind, text }'],
} as const satisfies {
  readonly [Field in keyof ToolDefinition<StandardSchemaV1>]?: readonly [(value: unknown) => boolean, string];
};

function problemOfOptional({ name, ...fields }: Pick<ToolDefinition<StandardSchemaV1>, 'name'>): string | undefined {
  const values = new Map<string, unknown>(Object.entries(fields));
  for (const [field, [accepts, expected]] of Object.entries(OPTIONAL)) {
    const value = values.get(field);
    if (value !== undefined && !accepts(value)) return `the tool ${name} takes ${expected} as \`${field}\``;
  }
  return undefined;
}

function problemOfEffects<Schema extends StandardSchemaV1>(definition: ToolDefinition<Schema>): string | undefined {
  const { name, describeEffects } = definition;
  if (describeEffects === undefined) return undefined;
  if (typeof describeEffects !== 'object' || describeEffects === null)
    return `the tool ${name} takes an object of functions as \`describeEffects\`, such as { paths: (input) => [{ path }] }`;
  for (const [kind, describe] of Object.entries(describeEffects)) {
    if (!EFFECT_KINDS.some((known) => known === kind)) {
      const use = nearestName(kind, EFFECT_KINDS) ?? EFFECT_KINDS.join(', ');
      return `\`describeEffects\` of the tool ${name} has an unknown field ${kind}: use ${use}`;
    }
    if (describe !== undefined && typeof describe !== 'function')
      return `\`describeEffects.${kind}\` of the tool ${name} is not a function: return the ${kind} of a call from it`;
  }
  return undefined;
}

async function readArguments<Schema extends StandardSchemaV1>(
  definition: ToolDefinition<Schema>,
  jsonSchema: JsonValue,
  given: unknown,
): Promise<ToolRun | ToolProblem> {
  const schema: StandardSchemaV1<unknown, StandardSchemaV1.InferOutput<Schema>> = definition.input;
  const read = await schema['~standard'].validate(given);
  if (read.issues !== undefined) return { problem: describeIssues(read.issues, jsonSchema, given) };
  const { value } = read;
  const { preview } = definition;
  return {
    title: definition.title?.(value) ?? definition.name,
    ...defined({
      confined: definition.confined === undefined ? undefined : definition.confined(value),
      effects: definition.describeEffects === undefined ? undefined : effectsOf(definition.describeEffects, value),
    }),
    ...(preview !== undefined && {
      preview: async (context: PreviewContext): Promise<ToolPreview> => preview.call(definition, value, context),
    }),
    run: async (context): Promise<ToolOutput> => outputOf(definition.name, await definition.run(value, context)),
  };
}

function kindsIn<Input>(describe: EffectDescriptions<Input>): readonly EffectKind[] {
  return EFFECT_KINDS.filter((kind) => describe[kind] !== undefined);
}

function effectsOf<Input>(describe: EffectDescriptions<Input>, input: Input): CallEffects {
  return defined({
    commands: describe.commands?.(input),
    paths: describe.paths?.(input),
    hosts: describe.hosts?.(input),
  });
}

/**
 * Returns the output of a call.
 *
 * @throws KitError `kit/bad-tool` if the value cannot be written as JSON.
 */
function outputOf(tool: string, returned: unknown): ToolOutput {
  if (returned === undefined) return {};
  if (typeof returned === 'string') return { text: returned };
  return markedOutput(returned) ?? { text: asJson(tool, returned) };
}

function asJson(tool: string, value: unknown): string {
  const problem = jsonProblem(value);
  const text: string | undefined = problem === undefined ? JSON.stringify(value) : undefined;
  if (text !== undefined) return text;
  const message = `${tool} returned a value that is not JSON: ${problem ?? 'it has no JSON form'}. Return a string or a JSON value, or toolOutput({ text, images, failed })`;
  throw new KitError('kit/bad-tool', message, { tool });
}
