// The plan of a compaction: down the ladder of tails, the first one that fits and is worth its price. The last rung keeps
// what the model has not answered yet and nothing else, its results shortened.

import type { Capabilities } from '@tidemark/model';
import type { Gauge } from '../pressure/gauge.ts';
import { slice } from '../base/append-only.ts';
import { keptBehind } from '../fold/settle.ts';
import type { State } from '../state/state.ts';
import type { CompactionDraft, DraftOptions } from './draft-compaction.ts';
import { draftCompaction } from './draft-compaction.ts';
import type { CompactionRefusal, CompactionSizes } from './judge-compaction.ts';
import { judgeCompaction, MOST_BYTES, MOST_LEFT } from './judge-compaction.ts';

/** How much of the tail each rung keeps, of what the budgets give: 20k, 10k, 5k, 2.5k, and the current batch alone. */
const RUNGS: readonly number[] = [1, 1 / 2, 1 / 4, 1 / 8, 0];
/** Most UTF-16 units that the last rung leaves of a text in a result. */
const SHORTENED = 2_000;
/** A checkpoint has at least this many tokens: its fixed words, and a little. */
const LEAST_CHECKPOINT = 600;
/** A checkpoint may use this share of the window and this share of what it stands for. */
const OF_WINDOW = 1 / 10;
const OF_RANGE = 1 / 4;
/** It may use so many tokens in any case, and in a small window this share of what a plan must fit. */
const ALWAYS = 4_000;
const OF_HARD = 1 / 8;

/** Index of the last rung. */
export const LAST_RUNG: number = RUNGS.length - 1;

/** What a plan is made with. */
export interface CompactionInput {
  readonly row: Capabilities;
  /** As it is now, with its budgets. */
  readonly gauge: Gauge;
  readonly noted: DraftOptions['noted'];
  /** The first rung that is tried: 0 unless said. */
  readonly from?: number;
  /** Most tokens of the tail on the first rung: as the budgets say unless given. */
  readonly tail?: number;
  /** Most tokens of the checkpoint, on the model's scale: by the room that there is unless given. */
  readonly checkpoint?: number;
  /** The last rung that is tried: the last there is unless said. */
  readonly last?: number;
  /** See `DraftOptions`. There is one rung then. */
  readonly alone?: boolean;
  /** A checkpoint is written better than the one that waits: it may leave out the same. */
  readonly anew?: boolean;
}

/** A compaction that may be made. */
export interface CompactionPlan {
  readonly sizes: CompactionSizes;
  readonly rung: number;
  readonly draft: CompactionDraft;
  /** Most tokens of its checkpoint on the model's scale, and the same before any ratio: as a text of the mean scale of its range has them. */
  readonly most: number;
  readonly bound: number;
}

/** Why none is made, with the sizes of the last rung that was tried. */
export interface RefusedPlan {
  readonly refused: CompactionRefusal;
  readonly sizes: CompactionSizes;
}

/** Plans. It counts with the smallest checkpoint: judge the plan again with the size of the real one. */
export function planCompaction(state: State, input: CompactionInput): CompactionPlan | RefusedPlan {
  const { from = 0, alone = false, last = alone ? from : LAST_RUNG } = input;
  let refused = nothing(input.gauge);
  for (let rung = Math.min(from, last); rung <= last; rung += 1) {
    const plan = planRung(state, input, rung);
    if (!('refused' in plan)) return input.anew === true ? plan : unlessWaiting(state, plan);
    refused = plan;
  }
  return refused;
}

/** Not what a compaction that no epoch has taken up yet leaves out already: the smaller tails below are for what does not fit. */
function unlessWaiting({ compacted, epoch, history }: State, plan: CompactionPlan): CompactionPlan | RefusedPlan {
  if (compacted === undefined || compacted.position === epoch?.opened.checkpoint) return plan;
  const { range, keeps = [], shortens } = compacted.data;
  const { draft, sizes } = plan;
  // By what is packed, since a range also holds what never is: behind a fork that was begun anew, its own beginning.
  const waiting = keptBehind(slice(history.packed, history.lead), { to: range.to, keeps, shortens });
  const less = draft.keeps.length + draft.kept.length < waiting.length;
  return less || (draft.shortens !== undefined && shortens === undefined) ? plan : { sizes, refused: 'nothing-new' };
}

function planRung(state: State, input: CompactionInput, rung: number): CompactionPlan | RefusedPlan {
  const { row, gauge, noted, tail = gauge.tail, alone = false } = input;
  const share = RUNGS[rung] ?? 0;
  const draft = draftCompaction(state, {
    row,
    noted,
    alone,
    tail: Math.floor(tail * share),
    ...perByte(gauge),
    ...(rung === LAST_RUNG ? { shortens: SHORTENED } : {}),
  });
  if (draft === undefined) return nothing(gauge);
  const least = { tokens: LEAST_CHECKPOINT * draft.scale, bytes: LEAST_CHECKPOINT * 4 };
  const { sizes, refused } = judgeCompaction(state, gauge, draft, least);
  if (refused !== undefined) return { sizes, refused };
  const most = mostOf(input, draft, sizes);
  return { sizes, rung, draft, most, bound: boundAt(most, draft.scale) };
}

/** The tail of a request that is too heavy takes the same share of the bytes that fit as of the tokens. */
function perByte({ by, hard, bytesLimit }: Gauge): Pick<DraftOptions, 'perByte'> {
  return by === 'bytes' && bytesLimit !== undefined ? { perByte: hard / (MOST_BYTES * bytesLimit) } : {};
}

/** Returns the most estimated tokens of a checkpoint that a model counts so many tokens of at a scale, and no less than its fixed words need. */
export function boundAt(most: number, scale: number): number {
  return Math.max(LEAST_CHECKPOINT, Math.floor(most / scale));
}

/**
 * Most tokens of a checkpoint, on the model's scale. It never takes so much that the compaction would not be worth it or would not
 * fit: a short range is then told in a short checkpoint.
 */
function mostOf({ gauge, checkpoint }: CompactionInput, draft: CompactionDraft, sizes: CompactionSizes): number {
  const { limit, hard, by } = gauge;
  const byRoom = Math.max(
    Math.min(ALWAYS, hard > 0 ? OF_HARD * hard : ALWAYS),
    Math.min(OF_WINDOW * limit, OF_RANGE * draft.left.tokens + draft.carried.tokens),
  );
  const beside = sizes.after - sizes.parts.checkpoint;
  const most = Math.min(hard > 0 ? hard : Infinity, by === 'bytes' ? Infinity : MOST_LEFT * sizes.before);
  return Math.min(checkpoint ?? byRoom, most - beside);
}

function nothing({ input = 0, hard }: Gauge): RefusedPlan {
  const parts = { front: 0, tools: 0, checkpoint: 0, directives: 0, tail: 0, notes: 0 };
  return { sizes: { before: input, after: input, hard, parts }, refused: 'nothing-to-leave-out' };
}
