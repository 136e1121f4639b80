// Computes the sizes of the blocks of a recording, which contains only the total of each call. A call's total is larger
// than the previous one. This growth is divided among the new blocks in proportion to their estimates. Blocks that were
// sent before keep their size, so that each token counts as new only once.

import type { Resize } from '@tidemark/agent';
import type { Sequence } from '@tidemark/context';
import { beginSequence, beginsTurn, extendSequence, itemAt, slice, tokensUpTo, turnStartOf } from '@tidemark/context';
import type { Block, NewHash } from '@tidemark/model';

/** Sizes of the blocks of one stream. A block keeps its size when a later epoch lowers the block again. */
export interface Sizes {
  /**
   * Returns the hook that sets the sizes of the blocks for one call. `total` is the recorded input. If `total` is 0,
   * the input is unknown and new blocks keep their estimates. `strips` is true if the provider strips thinking at a new
   * turn.
   */
  readonly resize: (total: number, strips: boolean) => Resize;
  /** Returns a copy of the current sizes. A fork continues with this copy. */
  readonly copy: () => Sizes;
}

/** Creates the sizes of one stream. `remembered` contains the sizes that a copy starts with. */
export function createSizes(newHash: NewHash, remembered: ReadonlyMap<string, number> = new Map()): Sizes {
  const known = new Map(remembered);
  const resize = (total: number, strips: boolean): Resize => {
    return (sequence, blocks) => {
      const keys = keysOf(blocks);
      const recalled = blocks.map((block, index) => ({
        ...block,
        tokens: known.get(keys[index] ?? '') ?? block.tokens,
      }));
      const fresh = keys.map((key) => !known.has(key));
      const sized = fit({ sequence, blocks: recalled, fresh, total, strips, newHash });
      const anew = slice(sized.sequence.blocks, sized.from);
      keysOf(anew).forEach((key, index) => known.set(key, anew[index]?.tokens ?? 0));
      return sized.sequence;
    };
  };
  return { resize, copy: () => createSizes(newHash, known) };
}

/**
 * Returns a key for each block, in order. A block has the same key in all epochs. An epoch can drop reasoning blocks,
 * so the number in a key counts only blocks of the same type.
 */
function keysOf(blocks: readonly Block[]): readonly string[] {
  const counts = new Map<string, number>();
  return blocks.map(({ origin, holds }) => {
    const place =
      origin.from === 'event' ? `${origin.session}:${origin.position}:${holds}` : `${origin.layer}:${holds}`;
    const nth = counts.get(place) ?? 0;
    counts.set(place, nth + 1);
    return `${place}:${nth}`;
  });
}

interface Fit {
  readonly sequence: Sequence;
  readonly blocks: readonly Block[];
  readonly fresh: readonly boolean[];
  readonly total: number;
  readonly strips: boolean;
  readonly newHash: NewHash;
}

/** Sequence with its new sizes, and the index of the first block whose size was set. */
interface Sized {
  readonly sequence: Sequence;
  readonly from: number;
}

/**
 * Sets the sizes so that their sum is the total. New blocks share the growth of the total. If there is no new block, or
 * the growth is too small for one token per new block, all blocks are scaled, including older ones. The total falls
 * only when history that was already sent was edited.
 */
function fit({ sequence, blocks, fresh, total, strips, newHash }: Fit): Sized {
  const { counted, before } = outlook(sequence, blocks, strips);
  const share = blocks.map((block, index) =>
    fresh[index] === true && counted[index] === true ? Math.max(1, block.tokens) : 0,
  );
  const recalled = blocks.filter((_, index) => fresh[index] === false && counted[index] === true);
  const older = before + sum(recalled.map((block) => block.tokens));
  const due = total === 0 ? sum(share) : total - older;
  const count = share.filter((tokens) => tokens > 0).length;
  const fits = count === 0 ? due === 0 : due >= count;
  if (fits) return { sequence: extendSequence(sequence, spread(blocks, share, due)), from: sequence.blocks.length };
  return { sequence: scaleBlocks(extendSequence(sequence, blocks), total, { strips, newHash }), from: sequence.front };
}

/**
 * Returns how the provider will count a call with these new blocks. `counted` marks the new blocks that count. `before`
 * is the number of tokens before the new blocks. Thinking of an older turn does not count if the provider strips it.
 * The blocks are not added to the sequence, because a sequence can be extended only once.
 */
function outlook(
  sequence: Sequence,
  blocks: readonly Block[],
  strips: boolean,
): { readonly counted: readonly boolean[]; readonly before: number } {
  const end = sequence.blocks.length - 1;
  const turn = blocks.findLastIndex((block, index) =>
    beginsTurn(blocks[index - 1] ?? itemAt(sequence.blocks, end), block),
  );
  const counted = blocks.map((block, index) => !(strips && block.holds === 'thinking' && index < turn));
  if (!strips || turn === -1) return { counted, before: tokensUpTo(sequence, end, strips) };
  return { counted, before: (itemAt(sequence.tokens, end) ?? 0) - (itemAt(sequence.thinking, end) ?? 0) };
}

/**
 * Distributes `due` tokens over the blocks in proportion to their shares. The sum is exact. Each block with a share
 * gets at least one token if there are enough tokens.
 */
function spread(blocks: readonly Block[], share: readonly number[], due: number): readonly Block[] {
  const estimated = sum(share);
  const count = share.filter((tokens) => tokens > 0).length;
  const least = due >= count ? 1 : 0;
  const spare = due - least * count;
  let given = 0;
  let seen = 0;
  return blocks.map((block, index) => {
    const own = share[index] ?? 0;
    if (own === 0) return block;
    seen += own;
    const upTo = Math.round((spare * seen) / estimated);
    const tokens = least + upTo - given;
    given = upTo;
    return { ...block, tokens };
  });
}

function scaleBlocks(trial: Sequence, total: number, { strips, newHash }: Pick<Fit, 'strips' | 'newHash'>): Sequence {
  const blocks = slice(trial.blocks);
  const turn = turnStartOf(trial).block;
  const counts = (block: Block, index: number): boolean => !(strips && block.holds === 'thinking' && index < turn);
  const share = blocks.map((block, index) => (counts(block, index) ? Math.max(1, block.tokens) : 0));
  const scaled = spread(blocks, share, total);
  return extendSequence(
    beginSequence(trial.parameters, scaled.slice(0, trial.front), newHash),
    scaled.slice(trial.front),
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, next) => total + next, 0);
}
