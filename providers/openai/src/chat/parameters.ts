// Render parameters of Chat Completions, and the constants that stand with them.

import type { Envelope, Front } from '@tidemark/model';
import type { ParameterNames } from '../encode/parameters.ts';
import { bodyEnd, bodyHeader, wireParameters } from '../encode/parameters.ts';
import { isReasoning } from '../model-generation.ts';
import { OPENAI } from '../service.ts';

const NAMES: ParameterNames = {
  fields: new Set([
    'frequency_penalty',
    'parallel_tool_calls',
    'presence_penalty',
    'reasoning_effort',
    'response_format',
    'seed',
    'service_tier',
    'stop',
    'temperature',
    'tool_choice',
    'top_p',
    'verbosity',
  ]),
  inside: new Map(),
  renamed: new Map([
    ['reasoning.effort', 'reasoning_effort'],
    ['text.format', 'response_format'],
    ['text.verbosity', 'verbosity'],
  ]),
};

/**
 * The beginning of a body: the model, then parameters by ascending name.
 *
 * @throws ProviderError `provider/unsupported` for a name that the API has no field for.
 */
export function chatHeader(front: Front): string {
  return bodyHeader(front.model, wireParameters(OPENAI, front, NAMES));
}

/**
 * The end of a body: the output limit, the stream with its usage, the envelope's fields. OpenAI's reasoning models refuse
 * `max_tokens`; compatible servers know nothing else.
 */
export function chatEnd(front: Front, envelope: Envelope): string {
  const written = wireParameters(OPENAI, front, NAMES);
  const taken = new Set(['model', 'tools', 'messages', 'max_tokens', 'max_completion_tokens', ...Object.keys(written)]);
  const limit = isReasoning(front.model) ? 'max_completion_tokens' : 'max_tokens';
  const varying = { [limit]: envelope.outputLimit, stream: true, stream_options: { include_usage: true } };
  return bodyEnd(OPENAI, taken, varying, envelope);
}
