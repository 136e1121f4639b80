// Sizes that a recording knows: only totals per call. The new blocks of a call share what its total grew by, in proportion
// to their estimates; what was sent before keeps its size, so that each token is new once.

import type { Resize } from '@tidemark/agent';
import type { Sequence } from '@tidemark/context';
import { beginSequence, beginsTurn, extendSequence, itemAt, slice, tokensUpTo, turnStartOf } from '@tidemark/context';
import type { Block, NewHash } from '@tidemark/model';

/** Remembers the size of each block, whatever epoch lowers it again. */
export interface Sizes {
  /** The hook for a call whose recorded input is `total`; 0 is unknown, and leaves the estimates of what is new. */
  readonly resize: (total: number, strips: boolean) => Resize;
  /** What is known now, for a fork to go on with. */
  readonly copy: () => Sizes;
}

/** Sizes of one stream. */
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

/** Names a block across epochs: an epoch may leave reasoning out, so it is counted among its like. */
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

/** A sequence, and its first block whose size was set. */
interface Sized {
  readonly sequence: Sequence;
  readonly from: number;
}

/** Makes the whole come to the total. Where it shrank, which only an edit of sent history does, older blocks give way. */
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
 * How a call with these blocks behind will be counted, before they are there (a sequence is extended once): which of them
 * count, and the tokens of what stands before them. Thinking of an older turn is stripped where the provider does so.
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

/** Shares `due` tokens in proportion, at least one each where there are enough, to the last token. */
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

/** Scales every block so that the whole comes to the total. */
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
