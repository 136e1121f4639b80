// The top level of a body on each wire: which parameters exist, which must be there, and of what kind. What a parameter
// says is looked at in `check-settings.ts`, `tools.ts` and `check-items.ts`.

import { given } from '../../core/wire.ts';
import type { WireObject } from '../../core/wire.ts';
import { KINDS, missingParameter, unknownParameter, wrongType } from './parameter-refusals.ts';
import type { ValueKind } from './parameter-refusals.ts';
import type { OpenAIWire } from './prompt.ts';
import { bad, firstBad } from './refusal.ts';
import type { OpenAIRefusal } from './refusal.ts';

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

/** What OpenRouter takes beside. */
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

/** What counting takes (`POST /v1/responses/input_tokens`). */
const COUNTED: ReadonlySet<string> = new Set(
  'conversation input instructions model parallel_tool_calls personality previous_response_id reasoning text tool_choice tools truncation'.split(
    ' ',
  ),
);

/** Which endpoint a body came to. */
export type OpenAIPurpose = OpenAIWire | 'count';

/** The first thing wrong with the top level, without a look at items and tools. */
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
  return firstBad(Object.entries(fields), ([name, value]) => {
    const kind = KINDS[(Object.hasOwn(known, name) ? known[name] : undefined) ?? 'any'];
    return !given(value) || kind.is(value) ? undefined : wrongType(name, kind.said, value);
  });
}

function missing(fields: WireObject, purpose: OpenAIPurpose): OpenAIRefusal | undefined {
  if (!given(fields['model']) && (purpose === 'chat' || purpose === 'router')) {
    return bad('you must provide a model parameter', null);
  }
  if (!given(fields['model'])) return missingParameter('model');
  const needed = purpose === 'chat' || purpose === 'router' ? 'messages' : 'input';
  const carried = needed === 'input' && given(fields['previous_response_id']);
  return given(fields[needed]) || carried ? undefined : missingParameter(needed);
}
