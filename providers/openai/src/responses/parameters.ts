// Render parameters of the Responses API (provider facts 2.2), and the constants that stand with them.

import type { Envelope, Front } from '@tidemark/model';
import type { BodyFields, ParameterNames } from '../encode/parameters.ts';
import { bodyEnd, bodyHeader, wireParameters } from '../encode/parameters.ts';
import { isReasoning } from '../model-generation.ts';
import { OPENAI } from '../service.ts';

const NAMES: ParameterNames = {
  fields: new Set([
    'context_management',
    'parallel_tool_calls',
    'personality',
    'reasoning',
    'service_tier',
    'temperature',
    'text',
    'tool_choice',
    'top_p',
  ]),
  inside: new Map([
    ['reasoning.effort', ['reasoning', 'effort']],
    ['reasoning.summary', ['reasoning', 'summary']],
    ['text.format', ['text', 'format']],
    ['text.verbosity', ['text', 'verbosity']],
  ]),
};

/**
 * The beginning of a body: the model, then parameters and constants by ascending name. Nothing is stored at the provider,
 * so reasoning comes back encrypted; a model that does not reason refuses that wish.
 *
 * @throws ProviderError `provider/unsupported` for a name that the API has no field for.
 */
export function responsesHeader(front: Front): string {
  return bodyHeader(front.model, headerFields(front));
}

/** The end of a body: the output limit, the stream, the envelope's fields (`prompt_cache_key` among them). */
export function responsesEnd(front: Front, envelope: Envelope): string {
  const taken = new Set(['model', 'tools', 'input', ...Object.keys(headerFields(front))]);
  return bodyEnd(OPENAI, taken, { max_output_tokens: envelope.outputLimit, stream: true }, envelope);
}

function headerFields(front: Front): BodyFields {
  const include = isReasoning(front.model) ? { include: ['reasoning.encrypted_content'] } : {};
  return { ...wireParameters(OPENAI, front, NAMES), ...include, store: false };
}
