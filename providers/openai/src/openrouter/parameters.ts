// Render parameters of OpenRouter's Chat Completions, and what varies by call.

import type { Envelope, Front } from '@tidemark/model';
import type { ParameterNames } from '../encode/parameters.ts';
import { bodyEnd, bodyHeader, wireParameters } from '../encode/parameters.ts';
import { OPENROUTER } from './service.ts';

/** Of OpenRouter's SDK 1.3.19; `provider` chooses among upstreams, and another one has another cache. */
const NAMES: ParameterNames = {
  fields: new Set([
    'frequency_penalty',
    'parallel_tool_calls',
    'presence_penalty',
    'provider',
    'reasoning',
    'response_format',
    'seed',
    'service_tier',
    'stop',
    'temperature',
    'tool_choice',
    'top_k',
    'top_p',
    'verbosity',
  ]),
  inside: new Map([['reasoning.effort', ['reasoning', 'effort']]]),
  renamed: new Map([
    ['text.format', 'response_format'],
    ['text.verbosity', 'verbosity'],
  ]),
};

/**
 * The beginning of a body: the model, then parameters by ascending name.
 *
 * @throws ProviderError `provider/unsupported` for a name that the API has no field for.
 */
export function header(front: Front): string {
  return bodyHeader(front.model, wireParameters(OPENROUTER, front, NAMES));
}

/** The end of a body: the output limit, the stream, the envelope's fields. Usage is told without being asked for. */
export function end(front: Front, envelope: Envelope): string {
  const written = wireParameters(OPENROUTER, front, NAMES);
  const taken = new Set(['model', 'tools', 'messages', 'max_tokens', ...Object.keys(written)]);
  return bodyEnd(OPENROUTER, taken, { max_completion_tokens: envelope.outputLimit, stream: true }, envelope);
}
