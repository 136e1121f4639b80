// The plan of a compaction: down the ladder of tails, the first one that fits and is worth its price. The last rung keeps
// what the model has not answered yet and nothing else, its results shortened.

import { defined } from '@tidemark/core';
import type { Money, Timestamp } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { slice } from '../base/append-only.ts';
import type { SpanSize } from '../base/estimate.ts';
import { modelTokens, scalingOf } from '../fold/model-tokens.ts';
import { keptBehind } from '../fold/settle.ts';
import { rewriteCost } from '../forecast/miss.ts';
import type { Gauge } from '../pressure/gauge.ts';
import { cliffsOf } from '../pressure/gauge.ts';
import { inModelTokens } from '../pressure/next-input.ts';
import { scaleOfText } from '../state/scales.ts';
import type { State } from '../state/state.ts';
import type { CompactionDraft, DraftOptions, RequestPart } from './draft-compaction.ts';
import { draftCompaction } from './draft-compaction.ts';

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
  /** The first rung that is tried. Default: 0. */
  readonly from?: number;
  /** Most tokens of the tail on the first rung: by default what the budgets give. */
  readonly tail?: number;
  /** Most tokens of the checkpoint, on the model's scale: by default what the free room allows. */
  readonly checkpoint?: number;
  /** The last rung that is tried. Default: the last of the ladder. */
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

// A compaction is worth making if the next request fits and is smaller by at least a fifth. Otherwise it would be repeated, and
// free almost nothing each time.

/** What is left of a request after a compaction that is worth it, at most. */
const MOST_LEFT: number = 0.8;

/** Share of a provider's byte limit that a request behind a compaction may take. */
const MOST_BYTES: number = 0.9;

/** The sizes of a compaction, in tokens on the model's scale: estimates. */
export interface CompactionSizes {
  /** The next request as it is now. */
  readonly before: number;
  /** The same behind the compaction. */
  readonly after: number;
  /** What `after` must fit. */
  readonly hard: number;
  readonly parts: { readonly [part in RequestPart]: number };
}

/** Why a compaction is not made; `nothing-new`: one that waits for the next request leaves out as much. */
export type CompactionRefusal = 'nothing-to-leave-out' | 'nothing-new' | 'does-not-fit' | 'shrinks-too-little';

/** What a compaction comes to. */
export interface JudgedCompaction {
  readonly sizes: CompactionSizes;
  /** Absent where it is worth making. */
  readonly refused?: CompactionRefusal;
}

/** Judges a draft with a checkpoint of this size, on the model's scale. */
export function judgeCompaction(
  state: State,
  gauge: Gauge,
  draft: CompactionDraft,
  checkpoint: SpanSize,
): JudgedCompaction {
  const all = { ...draft.parts, checkpoint };
  const parts = {
    front: Math.ceil(all.front.tokens),
    tools: Math.ceil(all.tools.tokens),
    checkpoint: Math.ceil(all.checkpoint.tokens),
    directives: Math.ceil(all.directives.tokens),
    tail: Math.ceil(all.tail.tokens),
    notes: Math.ceil(all.notes.tokens),
  };
  const after = Object.values(parts).reduce((sum, tokens) => sum + tokens, 0);
  const bytes = Object.values(all).reduce((sum, size) => sum + size.bytes, 0);
  const before = gauge.input ?? wholeOf(state, gauge, parts);
  const sizes = { before, after, hard: gauge.hard, parts };
  const refused = refusalOf(sizes, gauge, bytes);
  return defined({ sizes, refused });
}

function refusalOf({ before, after, hard }: CompactionSizes, gauge: Gauge, bytes: number): JudgedCompaction['refused'] {
  const { bytesLimit = Infinity } = gauge;
  if ((hard > 0 && after > hard) || bytes > MOST_BYTES * bytesLimit) return 'does-not-fit';
  const lighter = gauge.by === 'bytes' && bytes <= MOST_LEFT * gauge.bytes;
  return after <= MOST_LEFT * before || lighter ? undefined : 'shrinks-too-little';
}

/** Nobody counted the last request: what its bytes tell, at the ratio of the parts that are known. */
function wholeOf(state: State, { bytes }: Gauge, { front, tools }: CompactionSizes['parts']): number {
  return Math.max(front + tools, inModelTokens(state, Math.ceil(bytes / 4)).tokens);
}

/** The lowest length that a compaction brings a request below, where a model prices the whole of a longer one dearer. */
export function cliffCleared(
  { before, after }: CompactionSizes,
  row: Pick<Capabilities, 'prices'>,
  at: Timestamp,
): number | undefined {
  return cliffsOf(row, at).find((above) => after <= above && before > above);
}

/** What the break costs above reading the same from the cache: the front is read, all behind it is written anew. */
export function breakCost(
  { after, parts }: CompactionSizes,
  capabilities: Capabilities,
  at: Timestamp,
): { readonly tokens: number; readonly cost?: Money } {
  const tokens = after - parts.front - parts.tools;
  const cost = rewriteCost({ capabilities, at, input: after, tokens, ttl: capabilities.ttls[0] });
  return defined({ tokens, cost });
}

/** One piece of a request, and its tokens: an estimate on the model's scale. */
export interface LargePart {
  /** `front`, `tools`, or who spoke and where: `user at 17`. */
  readonly what: string;
  readonly tokens: number;
}

/** The largest pieces of the next request, the largest first. */
export function largestParts(state: State, most = 4): readonly LargePart[] {
  const { epoch, history } = state;
  const scaling = scalingOf(state);
  const { layers = [], toolSize } = epoch?.opened ?? {};
  const spans = slice(history.packed).map((span) => ({
    what: span.origin.from === 'event' ? `${span.role} at ${span.origin.position}` : span.role,
    tokens: modelTokens(scaling, span),
  }));
  const inFront = scaleOfText(scaling, -1);
  const front = { what: 'front', tokens: layers.reduce((sum, { tokens }) => sum + tokens, 0) * inFront };
  const tools = { what: 'tools', tokens: (toolSize?.tokens ?? 0) * inFront };
  return [front, tools, ...spans]
    .toSorted((a, b) => b.tokens - a.tokens)
    .slice(0, most)
    .filter(({ tokens }) => tokens > 0)
    .map(({ what, tokens }) => ({ what, tokens: Math.ceil(tokens) }));
}
