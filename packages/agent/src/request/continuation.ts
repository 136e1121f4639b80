// Whether a request may go on from the answer before it by the provider's id of that answer, or why not. Decided from what
// this process saw itself: another one has no connection that would remember the answer. The decision is recorded, so the
// bytes can be made again anywhere (L2).

import type { Sequence } from '@tidemark/context';
import { firstDivergence, itemAt } from '@tidemark/context';
import type { Answer, Answered, AnswerPart, Encoder } from '@tidemark/model';
import type { PromptStream } from './prompt-stream.ts';

/** The last finished answer of the main stream, as it was received, and the request that it answers. */
export interface Heard {
  readonly sequence: Sequence;
  readonly encoder: string;
  readonly parts: readonly AnswerPart[];
  /** Absent where the answer has no id, or is not whole. */
  readonly response: string | undefined;
}

/**
 * Why a request does not go on from the answer before. `parameters`: a setting, the model or the encoder is another;
 * `not-extending`: the blocks are; `answer-edited`: the answer is not packed exactly as it was received; `unfinished`: it
 * has no id, or was cut.
 */
export type ContinuationReset = 'parameters' | 'not-extending' | 'answer-edited' | 'unfinished';

/** An answer to a request of this sequence, for the request behind it. */
export function heardFrom(sequence: Sequence, encoder: string, answer: Answer): Heard {
  const { parts, truncated } = answer;
  return { sequence, encoder, parts, response: truncated === 'no' ? answer.response : undefined };
}

/** Where the request behind this answer goes on from it. Nothing for an encoder that knows no such request. */
export function goOnFrom(
  heard: Heard | undefined,
  { sequence, materials }: PromptStream,
): Answered | ContinuationReset | undefined {
  const { echoes, revision } = materials.encoder;
  if (heard === undefined || echoes === undefined) return undefined;
  if (heard.encoder !== revision) return 'parameters';
  const divergence = firstDivergence(heard.sequence, sequence);
  if (divergence !== undefined) return divergence.at === 'parameters' ? 'parameters' : 'not-extending';
  const { response } = heard;
  if (response === undefined) return 'unfinished';
  const from = heard.sequence.blocks.length + heard.parts.length;
  return isEchoed(heard, sequence, echoes) ? { response, from } : 'answer-edited';
}

/** Each part is one block, in order, and then somebody else speaks. */
function isEchoed(heard: Heard, { blocks }: Sequence, echoes: NonNullable<Encoder['echoes']>): boolean {
  const begin = heard.sequence.blocks.length;
  const next = itemAt(blocks, begin + heard.parts.length);
  if (next === undefined || next.role === 'assistant') return false;
  return heard.parts.every((part, index) => {
    const block = itemAt(blocks, begin + index);
    return block?.role === 'assistant' && echoes(part, block);
  });
}
