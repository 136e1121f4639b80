// Whether a request fits the model (§2.5), and how much room is left for the answer.

import type { OutputRoom } from '../core/answer.ts';
import type { OpenAIRequest } from './format/prompt.ts';
import { bad } from './format/refusal.ts';
import type { OpenAIRefusal } from './format/refusal.ts';

/**
 * The room for output, or the refusal of a request that is too long. `input` is all its tokens. Nothing is ever truncated,
 * whatever `truncation` asks for [I].
 */
export function outputRoom(request: OpenAIRequest, input: number): OutputRoom | OpenAIRefusal {
  const { inputLimit, outputLimit } = request.capabilities;
  if (input > inputLimit) return tooMany(request, input);
  return { tokens: Math.min(request.maxTokens ?? outputLimit, outputLimit), stop: 'max_tokens' };
}

function tooMany({ wire, capabilities }: OpenAIRequest, input: number): OpenAIRefusal {
  const code = 'context_length_exceeded';
  if (wire === 'responses') {
    const text = 'Your input exceeds the context window of this model. Please adjust your input and try again.';
    return bad(text, 'input', code);
  }
  const most = `This model's maximum context length is ${capabilities.inputLimit} tokens.`;
  const text = `${most} However, your messages resulted in ${input} tokens. Please reduce the length of the messages.`;
  return bad(text, 'messages', code);
}
