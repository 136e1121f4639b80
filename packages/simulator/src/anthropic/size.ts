// Whether a request fits the model (§1.6), and how much room is left for the answer.

import type { OutputRoom } from '../core/answer.ts';
import { invalid } from '../core/refusal.ts';
import type { MessageRefusal } from '../core/refusal.ts';
import type { WireRequest } from './request.ts';

/** The room for output, or the refusal of a request that is too long. `input` is all its tokens. */
export function outputRoom(request: WireRequest, input: number): OutputRoom | MessageRefusal {
  const { inputLimit, window } = request.capabilities;
  if (input > inputLimit) return invalid(`prompt is too long: ${input} tokens > ${inputLimit} maximum`);
  const left = window.tokens - input;
  if (window.sharedWithOutput === 'no' || left >= request.maxTokens)
    return { tokens: request.maxTokens, stop: 'max_tokens' };
  if (window.sharedWithOutput === 'stops') return { tokens: Math.max(0, left), stop: 'model_context_window_exceeded' };
  return invalid(
    `input length and \`max_tokens\` exceed context limit: ${input} + ${request.maxTokens} > ${window.tokens}, decrease input length or \`max_tokens\` and try again`,
  );
}
