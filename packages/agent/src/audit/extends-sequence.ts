// Compares the sequences of two requests of one stream.

import type { Sequence } from '@tidemark/context';
import { itemAt } from '@tidemark/context';

/** Returns true if `after` begins with all blocks of `before` and has the same render parameters (L3). */
export function extendsSequence(before: Sequence, after: Sequence): boolean {
  const end = before.blocks.length - 1;
  return (
    before.parameters.messages === after.parameters.messages &&
    itemAt(before.prefixes, end) === itemAt(after.prefixes, end)
  );
}
