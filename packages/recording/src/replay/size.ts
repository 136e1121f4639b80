// Sizes that a recording knows: only totals per call. The new blocks of a call share what its total grew by, in proportion
// to their estimates; what was sent before keeps its size, so that each token is new once.

import type { Resize } from '@tidemark/agent';
import type { Sequence } from '@tidemark/context';
import { at, beginSequence, extendSequence, slice, tokensUpTo } from '@tidemark/context';
import type { Block, NewHash } from '@tidemark/model';

/** Remembers the size of each block, whatever epoch lowers it again. */
export interface Sizes {
  /** The hook for a call whose recorded input is `total`. */
  readonly resize: (total: number, strips: boolean) => Resize;
}

/** Sizes of one stream. */
export function createSizes(newHash: NewHash): Sizes {
  const known = new Map<string, number>();
  const resize = (total: number, strips: boolean): Resize => {
    return (sequence, blocks) => {
      const keys = keysOf(blocks);
      const recalled = blocks.map((block, index) => ({ ...block, tokens: known.get(keys[index] ?? '') ?? block.tokens }));
      const fresh = keys.map((key) => !known.has(key));
      const sized = fit({ sequence, blocks: recalled, fresh, total, strips, newHash });
      slice(sized.blocks, sequence.blocks.length).forEach((block, index) => known.set(keys[index] ?? '', block.tokens));
      return sized;
    };
  };
  return { resize };
}

/** Names a block across epochs: an epoch may leave reasoning out, so it is counted among its like. */
function keysOf(blocks: readonly Block[]): readonly string[] {
  const counts = new Map<string, number>();
  return blocks.map(({ origin, holds }) => {
    const place = origin.from === 'event' ? `${origin.session}:${origin.position}:${holds}` : `${origin.layer}:${holds}`;
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

/** Makes the whole come to the total. Where it shrank, which only an edit of sent history does, older blocks give way. */
function fit(input: Fit): Sequence {
  const { sequence, blocks, fresh, total, strips, newHash } = input;
  const trial = extendSequence(sequence, blocks);
  const counted = countedFrom(trial, sequence.blocks.length, strips);
  const share = blocks.map((block, index) => (fresh[index] === true && counted[index] === true ? Math.max(1, block.tokens) : 0));
  const estimated = sum(share);
  const older = tokensUpTo(trial, trial.blocks.length - 1, strips) - estimated;
  const due = total - older;
  const count = share.filter((tokens) => tokens > 0).length;
  if (count > 0 && due >= count) return extendSequence(sequence, spread(blocks, share, due));
  return older === 0 ? trial : shrunk(trial, total, { strips, newHash });
}

/** Which of the new blocks count in this call: thinking of an older turn is stripped at once where the provider does so. */
function countedFrom(trial: Sequence, start: number, strips: boolean): readonly boolean[] {
  const turn = trial.turns.length === 0 ? 0 : (at(trial.turns, -1)?.block ?? 0);
  return slice(trial.blocks, start).map((block, index) => !(strips && block.holds === 'thinking' && start + index < turn));
}

/** Shares `due` tokens in proportion, at least one each, to the last token. */
function spread(blocks: readonly Block[], share: readonly number[], due: number): readonly Block[] {
  const estimated = sum(share);
  const spare = due - share.filter((tokens) => tokens > 0).length;
  let given = 0;
  let seen = 0;
  return blocks.map((block, index) => {
    const own = share[index] ?? 0;
    if (own === 0) return block;
    seen += own;
    const upTo = Math.round((spare * seen) / estimated);
    const tokens = 1 + upTo - given;
    given = upTo;
    return { ...block, tokens };
  });
}

/** Scales every block so that the whole comes to the total. */
function shrunk(trial: Sequence, total: number, { strips, newHash }: Pick<Fit, 'strips' | 'newHash'>): Sequence {
  const blocks = slice(trial.blocks);
  const counted = countedFrom(trial, 0, strips);
  const share = blocks.map((block, index) => (counted[index] === true ? Math.max(1, block.tokens) : 0));
  const scaled = spread(blocks, share, Math.max(total, share.length));
  return extendSequence(beginSequence(trial.parameters, scaled.slice(0, trial.front), newHash), scaled.slice(trial.front));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, next) => total + next, 0);
}
