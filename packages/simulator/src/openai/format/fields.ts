// Top-level parameters of a body for each endpoint: known parameters, required parameters and their types. The values
// of parameters are checked by `checkSettings` below, in `tools.ts` and in `check-items.ts`.

import { isPresent, objectAt, textOf } from '../../core/wire.ts';
import type { WireObject } from '../../core/wire.ts';
import { KINDS, missingParameter, unknownParameter, wrongType, bad, tooLong, wrongValue } from './refusal.ts';
import { firstRefusal } from '../../core/refusal.ts';
import type { ValueKind, OpenAIRefusal } from './refusal.ts';
import type { OpenAIWire } from './prompt.ts';
import type { Capabilities } from '@tidemark/model';
import { cacheRulesOf, isHalfWay } from './prompt.ts';

type KnownFields = { readonly [name: string]: ValueKind };

const COMMON: KnownFields = {
  model: 'string',
  metadata: 'object',
  moderation: 'object',
  parallel_tool_calls: 'boolean',
  prompt_cache_key: 'string',
  prompt_cache_options: 'object',
  prompt_cache_retention: 'string',
  safety_identifier: 'string',
  service_tier: 'string',
  store: 'boolean',
  stream: 'boolean',
  stream_options: 'object',
  temperature: 'number',
  tool_choice: 'any',
  tools: 'array',
  top_logprobs: 'integer',
  top_p: 'number',
  user: 'string',
};

const RESPONSES: KnownFields = {
  ...COMMON,
  access_programs: 'object',
  background: 'boolean',
  client_metadata: 'object',
  context_management: 'array',
  conversation: 'any',
  image: 'object',
  include: 'array',
  input: 'any',
  instructions: 'string',
  max_output_tokens: 'integer',
  max_tool_calls: 'integer',
  previous_response_id: 'string',
  prompt: 'object',
  reasoning: 'object',
  text: 'object',
  truncation: 'string',
};

const CHAT: KnownFields = {
  ...COMMON,
  audio: 'object',
  frequency_penalty: 'number',
  function_call: 'any',
  functions: 'array',
  logit_bias: 'object',
  logprobs: 'boolean',
  max_completion_tokens: 'integer',
  max_tokens: 'integer',
  messages: 'array',
  modalities: 'array',
  n: 'integer',
  prediction: 'object',
  presence_penalty: 'number',
  reasoning_effort: 'string',
  response_format: 'object',
  seed: 'integer',
  stop: 'any',
  verbosity: 'string',
  web_search_options: 'object',
};

const ROUTER: KnownFields = {
  ...CHAT,
  cache_control: 'object',
  include_reasoning: 'boolean',
  models: 'array',
  plugins: 'array',
  provider: 'object',
  reasoning: 'object',
  route: 'string',
  session_id: 'string',
  top_k: 'integer',
  transforms: 'array',
  usage: 'object',
};

/** Parameters that a request for counting accepts (`POST /v1/responses/input_tokens`). */
const COUNTED: ReadonlySet<string> = new Set(
  'conversation input instructions model parallel_tool_calls personality previous_response_id reasoning text tool_choice tools truncation'.split(
    ' ',
  ),
);

/** Endpoint to which a body was sent. `count` is the endpoint that counts input tokens. */
export type OpenAIPurpose = OpenAIWire | 'count';

/**
 * Returns a refusal for the first problem at the top level of the body, or `undefined`. Items and tools are not checked
 * here.
 */
export function checkTop(fields: WireObject, purpose: OpenAIPurpose): OpenAIRefusal | undefined {
  return unknownField(fields, purpose) ?? wrongKind(fields, knownTo(purpose)) ?? missing(fields, purpose);
}

function knownTo(purpose: OpenAIPurpose): KnownFields {
  if (purpose === 'chat') return CHAT;
  return purpose === 'router' ? ROUTER : { ...RESPONSES, personality: 'string' };
}

function unknownField(fields: WireObject, purpose: OpenAIPurpose): OpenAIRefusal | undefined {
  const known =
    purpose === 'count' ? COUNTED : new Set(Object.keys(purpose === 'responses' ? RESPONSES : knownTo(purpose)));
  const extra = Object.keys(fields).find((name) => !known.has(name));
  if (extra === undefined) return undefined;
  if (purpose === 'chat' || purpose === 'router') return bad(`Unrecognized request argument supplied: ${extra}`, null);
  return unknownParameter(extra);
}

function wrongKind(fields: WireObject, known: KnownFields): OpenAIRefusal | undefined {
  return firstRefusal(Object.entries(fields), ([name, value]) => {
    const kind = KINDS[(Object.hasOwn(known, name) ? known[name] : undefined) ?? 'any'];
    return !isPresent(value) || kind.is(value) ? undefined : wrongType(name, kind.said, value);
  });
}

function missing(fields: WireObject, purpose: OpenAIPurpose): OpenAIRefusal | undefined {
  if (!isPresent(fields['model']) && (purpose === 'chat' || purpose === 'router')) {
    return bad('you must provide a model parameter', null);
  }
  if (!isPresent(fields['model'])) return missingParameter('model');
  const needed = purpose === 'chat' || purpose === 'router' ? 'messages' : 'input';
  const carried = needed === 'input' && isPresent(fields['previous_response_id']);
  return isPresent(fields[needed]) || carried ? undefined : missingParameter(needed);
}

/**
 * Returns a refusal for the first setting that this model does not accept, or `undefined`. Checks the cache settings,
 * and the limits on output tokens and on the length of the cache key.
 */
export function checkSettings(
  fields: WireObject,
  capabilities: Capabilities,
  wire: OpenAIWire,
): OpenAIRefusal | undefined {
  return (
    tooLong('prompt_cache_key', textOf(fields['prompt_cache_key']), 64) ??
    checkLimits(fields, wire) ??
    checkRetention(fields, capabilities) ??
    checkCacheOptions(fields, capabilities, wire)
  );
}

function checkLimits(fields: WireObject, wire: OpenAIWire): OpenAIRefusal | undefined {
  if (wire !== 'chat' || !isPresent(fields['max_tokens']) || !reasons(textOf(fields['model']))) return undefined;
  const text =
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
  return bad(text, 'max_tokens', 'unsupported_parameter');
}

function reasons(model: string): boolean {
  return /^(o\d|gpt-[5-9])/.test(model);
}

function checkRetention(fields: WireObject, capabilities: Capabilities): OpenAIRefusal | undefined {
  const retention = fields['prompt_cache_retention'];
  if (!isPresent(retention)) return undefined;
  const only24 = isHalfWay(capabilities.model) || cacheRulesOf(capabilities).kind === 'boundaries';
  const supported = only24 ? ['24h'] : ['in_memory', '24h'];
  if (supported.includes(textOf(retention))) return undefined;
  return wrongValue('prompt_cache_retention', textOf(retention), supported);
}

function checkCacheOptions(
  fields: WireObject,
  capabilities: Capabilities,
  wire: OpenAIWire,
): OpenAIRefusal | undefined {
  if (!isPresent(fields['prompt_cache_options'])) return undefined;
  const name = 'prompt_cache_options';
  if (cacheRulesOf(capabilities).kind !== 'boundaries') {
    const text = `Unsupported parameter: '${name}' is not supported with this model.`;
    return bad(text, name, 'unsupported_parameter');
  }
  const options = objectAt(fields, name);
  const known = wire === 'responses' ? ['mode', 'ttl', 'prewarm', 'comparison_response_id'] : ['mode', 'ttl'];
  const extra = Object.keys(options).find((key) => !known.includes(key));
  if (extra !== undefined) return unknownParameter(`${name}.${extra}`);
  return (
    checkChoice(options, 'mode', ['implicit', 'explicit']) ??
    checkChoice(options, 'ttl', wire === 'responses' ? ['30m', '12h'] : ['30m'])
  );
}

function checkChoice(
  options: WireObject,
  key: 'mode' | 'ttl',
  supported: readonly string[],
): OpenAIRefusal | undefined {
  const value = options[key];
  if (!isPresent(value) || supported.includes(textOf(value))) return undefined;
  return wrongValue(`prompt_cache_options.${key}`, textOf(value), supported);
}
