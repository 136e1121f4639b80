// From the place in a body that a provider names to the blocks that stand there.

import type { Block, RefusedPlace } from '@tidemark/model';
import type { BodyForm } from './body-form.ts';

/** Indexes of the blocks at a place: those of the whole message where no content is named. None where the place is none. */
export function locateBlocks(form: BodyForm, { message, content }: RefusedPlace, blocks: readonly Block[]): number[] {
  const found: number[] = [];
  let at = { message: -1, content: 0 };
  let before: Block | undefined;
  for (const [index, block] of blocks.entries()) {
    if (block.section === 'tools' || (block.section === 'system' && !form.systemIsMessage)) continue;
    const joins = before !== undefined && form.joins(before, block);
    at = joins ? { ...at, content: at.content + 1 } : { message: at.message + 1, content: 0 };
    before = block;
    if (at.message === message && (content ?? at.content) === at.content) found.push(index);
  }
  return found;
}
