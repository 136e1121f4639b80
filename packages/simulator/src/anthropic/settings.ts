// Checks the values of top-level fields: types, ranges and choices. The error texts are similar to known error texts of
// the service (inferred, [I]).

import { invalid, firstRefusal } from '../core/refusal.ts';
import type { MessageRefusal } from '../core/refusal.ts';
import type { RequestRule } from './request.ts';
import { isObject, isPresent, textOf } from '../core/wire.ts';
import type { WireObject } from '../core/wire.ts';

type ValueCheck = (value: unknown) => MessageRefusal | undefined;

const CHECKS: { readonly [field: string]: ValueCheck } = {
  temperature: (value) => checkShare('temperature', value),
  top_p: (value) => checkShare('top_p', value),
  top_k: checkTopK,
  metadata: (value) => (isObject(value) ? checkMetadata(value) : notDictionary('metadata')),
  inference_geo: (value) => checkString('inference_geo', value),
  speed: (value) => (value === 'standard' || value === 'fast' ? undefined : oneOf('speed', ['standard', 'fast'])),
  diagnostics: (value) => (isObject(value) ? checkDiagnostics(value) : notDictionary('diagnostics')),
  thinking: (value) => (isObject(value) ? checkThinking(value) : notDictionary('thinking')),
  tool_choice: (value) => (isObject(value) ? checkChoice(value) : notDictionary('tool_choice')),
  output_config: (value) => (isObject(value) ? checkConfig(value) : notDictionary('output_config')),
  output_format: (value) => checkFormat('output_format', value),
};

/**
 * Form of a beta's name: it ends with a date. The service has a list of names, and the list grows with each release of
 * a client. So only a name without this form is refused.
 */
const BETA = /^[a-z0-9-]+-(?:\d{4}-\d{2}-\d{2}|\d{8})$/;

/**
 * Refuses a beta header that does not have the form of a beta's name. The error text is quoted in
 * zed-industries/zed#42715.
 */
export const checkBetas: RequestRule = ({ betas }) => {
  const unknown = betas.filter((beta) => !BETA.test(beta)).map((beta) => `\`${beta}\``);
  if (unknown.length === 0) return undefined;
  const next = 'Please consult our documentation at docs.anthropic.com or try again without the header.';
  return invalid(`Unexpected value(s) ${unknown.join(', ')} for the \`anthropic-beta\` header. ${next}`);
};

/** Refuses the first field whose value the real service would refuse. A field that is `null` counts as absent. */
export const checkSettings: RequestRule = ({ fields }) =>
  firstRefusal(Object.entries(fields), ([name, value]) => {
    const check = Object.hasOwn(CHECKS, name) ? CHECKS[name] : undefined;
    return isPresent(value) ? check?.(value) : undefined;
  });

function notDictionary(path: string): MessageRefusal {
  return invalid(`${path}: Input should be a valid dictionary`);
}

function oneOf(path: string, choices: readonly string[]): MessageRefusal {
  const quoted = choices.map((choice) => `'${choice}'`);
  return invalid(`${path}: Input should be ${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`);
}

function checkString(path: string, value: unknown): MessageRefusal | undefined {
  return typeof value === 'string' ? undefined : invalid(`${path}: Input should be a valid string`);
}

function checkBoolean(path: string, value: unknown): MessageRefusal | undefined {
  return !isPresent(value) || typeof value === 'boolean'
    ? undefined
    : invalid(`${path}: Input should be a valid boolean`);
}

function checkShare(path: string, value: unknown): MessageRefusal | undefined {
  if (typeof value !== 'number') return invalid(`${path}: Input should be a valid number`);
  return value >= 0 && value <= 1 ? undefined : invalid(`${path}: range: 0..1`);
}

function checkTopK(value: unknown): MessageRefusal | undefined {
  if (typeof value !== 'number' || !Number.isInteger(value)) return invalid('top_k: Input should be a valid integer');
  return value >= 0 ? undefined : invalid('top_k: Input should be greater than or equal to 0');
}

/** Refuses the first field of an object that the service does not know. */
export function checkExtra(fields: WireObject, path: string, known: readonly string[]): MessageRefusal | undefined {
  const extra = Object.keys(fields).find((name) => !known.includes(name));
  return extra === undefined ? undefined : invalid(`${path}.${extra}: Extra inputs are not permitted`);
}

function checkMetadata(metadata: WireObject): MessageRefusal | undefined {
  const { user_id: user } = metadata;
  return (
    checkExtra(metadata, 'metadata', ['user_id']) ??
    (isPresent(user) ? checkString('metadata.user_id', user) : undefined)
  );
}

function checkDiagnostics(diagnostics: WireObject): MessageRefusal | undefined {
  const { previous_message_id: previous } = diagnostics;
  return (
    checkExtra(diagnostics, 'diagnostics', ['previous_message_id']) ??
    (isPresent(previous) ? checkString('diagnostics.previous_message_id', previous) : undefined)
  );
}

/** Refuses an object whose `type` is not a key of `tags`. Also refuses a field that does not exist for this type. */
function checkTagged(
  fields: WireObject,
  path: string,
  tags: ReadonlyMap<string, readonly string[]>,
): MessageRefusal | undefined {
  const { type } = fields;
  if (!isPresent(type)) return invalid(`${path}.type: Field required`);
  const known = tags.get(textOf(type));
  if (known !== undefined) return checkExtra(fields, `${path}.${textOf(type)}`, ['type', ...known]);
  const expected = [...tags.keys()].map((tag) => `'${tag}'`).join(', ');
  return invalid(
    `${path}: Input tag '${textOf(type)}' found using 'type' does not match any of the expected tags: ${expected}`,
  );
}

/** Types of the SDK: `BetaThinkingConfigParam`. */
const THINKING: ReadonlyMap<string, readonly string[]> = new Map([
  ['adaptive', ['block_binding', 'display']],
  ['between_tools', []],
  ['disabled', []],
  ['enabled', ['budget_tokens', 'block_binding', 'display']],
]);

const DISPLAYS = ['summarized', 'omitted', 'updates'];

function checkThinking(thinking: WireObject): MessageRefusal | undefined {
  const wrong = checkTagged(thinking, 'thinking', THINKING);
  const { type, display } = thinking;
  if (wrong !== undefined || !isPresent(display) || DISPLAYS.includes(textOf(display))) return wrong;
  return oneOf(`thinking.${textOf(type)}.display`, DISPLAYS);
}

/** Types of the SDK: `BetaToolChoice`. */
const CHOICES: ReadonlyMap<string, readonly string[]> = new Map([
  ['any', ['disable_parallel_tool_use']],
  ['auto', ['disable_parallel_tool_use']],
  ['none', []],
  ['tool', ['name', 'disable_parallel_tool_use']],
]);

function checkChoice(choice: WireObject): MessageRefusal | undefined {
  const { type, name, disable_parallel_tool_use: alone } = choice;
  const path = `tool_choice.${textOf(type)}`;
  const wrong = checkTagged(choice, 'tool_choice', CHOICES) ?? checkBoolean(`${path}.disable_parallel_tool_use`, alone);
  if (wrong !== undefined || type !== 'tool') return wrong;
  return isPresent(name) ? checkString(`${path}.name`, name) : invalid(`${path}.name: Field required`);
}

/** `checkOutput` checks `effort`, together with the other limits of the output. */
function checkConfig(config: WireObject): MessageRefusal | undefined {
  const { format } = config;
  return (
    checkExtra(config, 'output_config', ['effort', 'format', 'task_budget']) ??
    (isPresent(format) ? checkFormat('output_config.format', format) : undefined)
  );
}

function checkFormat(path: string, value: unknown): MessageRefusal | undefined {
  if (!isObject(value)) return notDictionary(path);
  if (value['type'] !== 'json_schema') return invalid(`${path}.type: Input should be 'json_schema'`);
  if (!isPresent(value['schema'])) return invalid(`${path}.schema: Field required`);
  return isObject(value['schema']) ? checkExtra(value, path, ['type', 'schema']) : notDictionary(`${path}.schema`);
}
