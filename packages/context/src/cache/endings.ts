// Where a provider that keeps entries at message ends looks for them (provider facts 2.2): user messages, the last of a run of
// results, and the last developer message before anyone else speaks.

import type { Block } from '@tidemark/model';
import { itemAt } from '../base/append-only.ts';
import type { Sequence } from './sequence.ts';

/** The latest eligible endings behind the developer's opening, as indices of blocks, latest first. */
export function latestEndings(sequence: Sequence, most: number): readonly number[] {
  const found: number[] = [];
  for (let index = sequence.blocks.length - 1; index >= sequence.front && found.length < most; index -= 1) {
    if (isEnding(itemAt(sequence.blocks, index), itemAt(sequence.blocks, index + 1))) found.push(index);
  }
  return found;
}

/** The end of the developer's opening; `undefined` where somebody else speaks first. */
export function openingEnd(sequence: Sequence): number | undefined {
  let index = sequence.counts.tools;
  while (isDeveloper(itemAt(sequence.blocks, index))) index += 1;
  return index === sequence.counts.tools ? undefined : index - 1;
}

function isDeveloper(block: Block | undefined): boolean {
  return isContent(block) && (block?.role === 'system' || block?.role === 'developer');
}

function isEnding(block: Block | undefined, next: Block | undefined): boolean {
  if (block === undefined) return false;
  if (block.holds === 'result') return next?.holds !== 'result';
  if (block.role !== 'user' || !isContent(block)) return false;
  return !(isContent(next) && next?.role === 'user' && next.group === block.group);
}

/** What shares a message with its neighbours. */
function isContent(block: Block | undefined): boolean {
  return block?.holds === 'text' || block?.holds === 'image';
}
