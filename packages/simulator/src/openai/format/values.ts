// Checks the values of top-level parameters: ranges, choices, and the fields of parameters that are objects. The texts
// and codes follow the style of the service's known errors (inferred, [I]).

import { firstRefusal } from '../../core/refusal.ts';
import { isList, isObject, isPresent, objectAt, textOf } from '../../core/wire.ts';
import type { WireObject } from '../../core/wire.ts';
import { bad, missingParameter, tooLong, unknownParameter, wrongType, wrongValue } from './refusal.ts';
import type { OpenAIRefusal } from './refusal.ts';
import type { OpenAIPurpose } from './fields.ts';

/** Lowest and highest value of each number (SDK: the comments of `ResponseCreateParams` and of the Chat parameters). */
const RANGES: ReadonlyMap<string, readonly [number, number]> = new Map([
  ['temperature', [0, 2]],
  ['top_p', [0, 1]],
  ['frequency_penalty', [-2, 2]],
  ['presence_penalty', [-2, 2]],
  ['top_logprobs', [0, 20]],
  ['max_completion_tokens', [1, Infinity]],
  ['max_tokens', [1, Infinity]],
  ['max_output_tokens', [16, Infinity]],
  ['n', [1, Infinity]],
]);

/** Refuses the first value that is out of range, not one of the choices, or has a wrong field. */
export function checkValues(fields: WireObject, purpose: OpenAIPurpose): OpenAIRefusal | undefined {
  const ranged =
    firstRefusal(Object.entries(fields), ([name, value]) => checkRange(name, value)) ?? checkMetadata(fields);
  if (ranged !== undefined || purpose === 'router') return ranged;
  return tooLong('safety_identifier', textOf(fields['safety_identifier']), 128) ?? checkChosen(fields, purpose);
}

function checkRange(name: string, value: unknown): OpenAIRefusal | undefined {
  const range = RANGES.get(name);
  if (range === undefined || typeof value !== 'number') return undefined;
  const [least, most] = range;
  if (value >= least && value <= most) return undefined;
  const kind = Number.isInteger(value) && most > 2 ? 'integer' : 'decimal';
  const isLow = value < least;
  const [side, sign] = isLow ? ['below minimum', '>='] : ['above maximum', '<='];
  const text = `Invalid '${name}': ${kind} ${side} value. Expected a value ${sign} ${isLow ? least : most}, but got ${value} instead.`;
  return bad(text, name, `${kind}_${isLow ? 'below_min' : 'above_max'}_value`);
}

const MAX_METADATA = 16;

/** SDK, `Metadata`: at most 16 pairs, keys of at most 64 characters, and texts of at most 512. */
function checkMetadata(fields: WireObject): OpenAIRefusal | undefined {
  const pairs = Object.entries(objectAt(fields, 'metadata'));
  if (pairs.length > MAX_METADATA) {
    const text = `Invalid 'metadata': too many properties. Expected an object with at most ${MAX_METADATA} properties, but got an object with ${pairs.length} properties instead.`;
    return bad(text, 'metadata', 'object_above_max_properties');
  }
  return firstRefusal(pairs, ([key, value]) => {
    const path = `metadata.${key}`;
    if (typeof value !== 'string') return wrongType(path, 'a string', value);
    return tooLong('metadata', key, 64) ?? tooLong(path, value, 512);
  });
}

const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
const SUMMARIES = ['auto', 'concise', 'detailed'];
const VERBOSITIES = ['low', 'medium', 'high'];

const INCLUDES = [
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'message.input_image.image_url',
  'computer_call_output.output.image_url',
  'code_interpreter_call.outputs',
  'reasoning.encrypted_content',
  'message.output_text.logprobs',
];

function checkChosen(fields: WireObject, purpose: OpenAIPurpose): OpenAIRefusal | undefined {
  if (purpose === 'chat') {
    return (
      choice('reasoning_effort', fields['reasoning_effort'], EFFORTS) ??
      choice('verbosity', fields['verbosity'], VERBOSITIES) ??
      checkFormat(objectAt(fields, 'response_format'), 'response_format', 'response_format.json_schema') ??
      checkStreamOptions(fields, ['include_usage', 'include_obfuscation'])
    );
  }
  return (
    checkReasoning(objectAt(fields, 'reasoning')) ??
    checkText(objectAt(fields, 'text')) ??
    choice('truncation', fields['truncation'], ['auto', 'disabled']) ??
    checkIncludes(fields['include']) ??
    checkStreamOptions(fields, ['include_obfuscation'])
  );
}

function choice(path: string, value: unknown, supported: readonly string[]): OpenAIRefusal | undefined {
  if (!isPresent(value) || supported.includes(textOf(value))) return undefined;
  return typeof value === 'string' ? wrongValue(path, value, supported) : wrongType(path, 'a string', value);
}

function unknownIn(fields: WireObject, path: string, known: readonly string[]): OpenAIRefusal | undefined {
  const extra = Object.keys(fields).find((name) => !known.includes(name));
  return extra === undefined ? undefined : unknownParameter(`${path}.${extra}`);
}

function checkReasoning(reasoning: WireObject): OpenAIRefusal | undefined {
  const { effort, summary, generate_summary: earlier } = reasoning;
  return (
    unknownIn(reasoning, 'reasoning', ['context', 'effort', 'generate_summary', 'mode', 'summary']) ??
    choice('reasoning.effort', effort, EFFORTS) ??
    choice('reasoning.summary', summary, SUMMARIES) ??
    choice('reasoning.generate_summary', earlier, SUMMARIES)
  );
}

function checkText(text: WireObject): OpenAIRefusal | undefined {
  return (
    unknownIn(text, 'text', ['format', 'verbosity']) ??
    choice('text.verbosity', text['verbosity'], VERBOSITIES) ??
    checkFormat(objectAt(text, 'format'), 'text.format', 'text.format')
  );
}

/** `path` names the format, and `at` the object that has the name and the schema. */
function checkFormat(format: WireObject, path: string, at: string): OpenAIRefusal | undefined {
  if (Object.keys(format).length === 0) return undefined;
  const { type } = format;
  if (!isPresent(type)) return missingParameter(`${path}.type`);
  const wrong = choice(`${path}.type`, type, ['json_object', 'json_schema', 'text']);
  if (wrong !== undefined || type !== 'json_schema') return wrong;
  const definition = at === path ? format : format['json_schema'];
  if (!isObject(definition)) return missingParameter(at);
  const { name, schema } = definition;
  if (typeof name !== 'string') return missingParameter(`${at}.name`);
  if (!/^[a-zA-Z0-9_-]+$/.test(name)) {
    const text = `Invalid '${at}.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`;
    return bad(text, `${at}.name`, 'invalid_value');
  }
  // Chat Completions has a default for the schema (SDK: `ResponseFormatJSONSchema`).
  if (isPresent(schema)) return isObject(schema) ? undefined : wrongType(`${at}.schema`, 'an object', schema);
  return at === path ? missingParameter(`${at}.schema`) : undefined;
}

function checkIncludes(include: unknown): OpenAIRefusal | undefined {
  return firstRefusal((isList(include) ? include : []).entries(), ([i, each]) =>
    choice(`include[${i}]`, each, INCLUDES),
  );
}

function checkStreamOptions(fields: WireObject, known: readonly string[]): OpenAIRefusal | undefined {
  const options = objectAt(fields, 'stream_options');
  return unknownIn(options, 'stream_options', known);
}

/** Refuses options of a stream in a Chat request that has no stream. */
export function checkStreaming(
  { stream, stream_options: options }: WireObject,
  purpose: OpenAIPurpose,
): OpenAIRefusal | undefined {
  if (purpose !== 'chat' || !isPresent(options) || stream === true) return undefined;
  return bad("The 'stream_options' parameter is only allowed when 'stream' is enabled.", 'stream_options');
}
