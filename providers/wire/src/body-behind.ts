// The body of a request that goes on from an earlier answer: the tools and all parameters once more, and the blocks behind
// that answer. Short, so it is written anew each time.

import type { Answered, Block, Envelope, LoweredFront } from '@tidemark/model';
import type { BodyForm } from './body-form.ts';

/** What such a body is written from. `mark` gives the text of a block's marker, by the index that it has in the whole. */
export interface BodyContinuation {
  readonly form: BodyForm;
  readonly front: LoweredFront;
  readonly blocks: readonly Block[];
  readonly mark: (index: number) => string;
}

/** Writes the tools and what stands behind the answer: the contract and all up to there are known at the other end. */
export function bodyBehind(
  { form, front, blocks, mark }: BodyContinuation,
  { from }: Answered,
  envelope: Envelope,
): string {
  const pieces = [form.header(front.front)];
  let last: Block | undefined;
  const append = (block: Block, index: number): void => {
    pieces.push(form.between(last, block), block.head, mark(index), block.tail);
    last = block;
  };
  front.blocks.filter(({ section }) => section === 'tools').forEach(append);
  blocks.slice(from).forEach((block, index) => append(block, from + index));
  pieces.push(form.between(last, undefined), form.end(front.front, envelope));
  return pieces.join('');
}
