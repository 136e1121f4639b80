// Plans a compaction. It tries tails of decreasing size. Each size is called a rung. It takes the first rung that fits
// and frees enough. The last rung keeps only the messages that the model has not answered yet, with shortened results.

import { defined } from '@tidemark/core';
import type { Money, Timestamp } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { slice } from '../base/append-only.ts';
import type { SpanSize } from '../base/estimate.ts';
import { modelTokens, scalingOf } from '../fold/model-tokens.ts';
import { remainingSpans } from '../fold/settle.ts';
import { rewriteCost } from '../forecast/miss.ts';
import type { Gauge } from '../pressure/gauge.ts';
import { cliffsOf } from '../pressure/gauge.ts';
import { inModelTokens } from '../pressure/next-input.ts';
import { scaleOfText } from '../state/scales.ts';
import type { State } from '../state/state.ts';
import type { CompactionDraft, DraftOptions, RequestPart } from './draft-compaction.ts';
import { draftCompaction } from './draft-compaction.ts';

/**
 * Share of the tail budget that each rung keeps. With the default budget these are 20k, 10k, 5k and 2.5k tokens. The
 * last rung keeps only the current batch.
 */
const RUNGS: readonly number[] = [1, 1 / 2, 1 / 4, 1 / 8, 0];

/** Maximum length of a text in a result on the last rung, in UTF-16 units. */
const SHORTENED = 2_000;

/** Minimum tokens of a checkpoint: its fixed text and a little more. */
const MIN_CHECKPOINT = 600;

/**
 * Maximum share of the window for a checkpoint. `OF_RANGE` is its maximum share of the range that it replaces. The size
 * of the previous checkpoint is added to that share. The smaller of both limits applies.
 */
const OF_WINDOW = 1 / 10;

const OF_RANGE = 1 / 4;

/**
 * Tokens that a checkpoint may always use, even if `OF_WINDOW` and `OF_RANGE` allow fewer. In a small window, the share
 * `OF_HARD` of the budget `hard` can be less than this number. The smaller number applies.
 */
const ALWAYS = 4_000;

const OF_HARD = 1 / 8;

export const LAST_RUNG: number = RUNGS.length - 1;

export interface CompactionInput {
  readonly row: Capabilities;
  /** Current gauge, with its budgets. */
  readonly gauge: Gauge;
  readonly noted: DraftOptions['noted'];
  /** First rung that is tried. Default: 0. */
  readonly from?: number;
  /** Maximum tokens of the tail on the first rung. Default: the gauge's budget for the tail. */
  readonly tail?: number;
  /**
   * Maximum tokens of the checkpoint, on the model's scale. By default it is computed from the window and the range.
   */
  readonly checkpoint?: number;
  /** Last rung that is tried. Default: `LAST_RUNG`, or `from` if `alone` is set. */
  readonly last?: number;
  /** True to keep only the checkpoint and no part of the history. In this case, only one rung is tried by default. */
  readonly alone?: boolean;
  /**
   * True to make a better checkpoint for a compaction that no epoch uses yet. The new plan may then omit the same part
   * of the history as that compaction.
   */
  readonly anew?: boolean;
}

/** Plan of a compaction that fits the limits and frees enough tokens. */
export interface CompactionPlan {
  readonly sizes: CompactionSizes;
  readonly rung: number;
  readonly draft: CompactionDraft;
  /**
   * Maximum tokens of the checkpoint on the model's scale. `bound` is the same limit in unscaled estimated tokens,
   * converted with the mean scale of the range.
   */
  readonly most: number;
  readonly bound: number;
}

/** Reason why no compaction is planned, with the sizes of the last rung that was tried. */
export interface RefusedPlan {
  readonly refused: CompactionRefusal;
  readonly sizes: CompactionSizes;
}

/**
 * Plans a compaction as if its checkpoint had the minimum size. Returns the plan of the first rung that is worth
 * making. If there is no such rung, returns the refusal of the last rung. The caller must judge the plan again with the
 * size of the real checkpoint.
 */
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

/** Refuses the plan if another compaction already omits the same amount and waits for an epoch. */
function unlessWaiting({ compacted, epoch, history }: State, plan: CompactionPlan): CompactionPlan | RefusedPlan {
  if (compacted === undefined || compacted.position === epoch?.opened.checkpoint) return plan;
  const { range, keeps = [], shortens } = compacted.data;
  const { draft, sizes } = plan;
  // The number of packed spans is compared, because a range can also contain records that are never packed. For
  // example, a fork with new records contains its own `session.created`.
  const waiting = remainingSpans(slice(history.packed, history.lead), { to: range.to, keeps, shortens });
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
  const least = { tokens: MIN_CHECKPOINT * draft.scale, bytes: MIN_CHECKPOINT * 4 };
  const { sizes, refused } = judgeCompaction(state, gauge, draft, least);
  if (refused !== undefined) return { sizes, refused };
  const most = mostOf(input, draft, sizes);
  return { sizes, rung, draft, most, bound: boundAt(most, draft.scale) };
}

/**
 * Returns the `perByte` option for a request that is too large in bytes. The option converts bytes to tokens. If a tail
 * fits its token budget, it then also fits the same share of the byte limit.
 */
function perByte({ by, hard, bytesLimit }: Gauge): Pick<DraftOptions, 'perByte'> {
  return by === 'bytes' && bytesLimit !== undefined ? { perByte: hard / (MAX_BYTE_SHARE * bytesLimit) } : {};
}

/**
 * Converts a limit on the model's scale into unscaled estimated tokens. The result is at least the size of a
 * checkpoint's fixed text.
 */
export function boundAt(most: number, scale: number): number {
  return Math.max(MIN_CHECKPOINT, Math.floor(most / scale));
}

/**
 * Returns the maximum tokens of a checkpoint, on the model's scale. The maximum is low enough that the compaction fits
 * and is worth making. A short range therefore gets a short checkpoint.
 */
function mostOf({ gauge, checkpoint }: CompactionInput, draft: CompactionDraft, sizes: CompactionSizes): number {
  const { limit, hard, by } = gauge;
  const byRoom = Math.max(
    Math.min(ALWAYS, hard > 0 ? OF_HARD * hard : ALWAYS),
    Math.min(OF_WINDOW * limit, OF_RANGE * draft.left.tokens + draft.carried.tokens),
  );
  const otherTokens = sizes.after - sizes.parts.checkpoint;
  const most = Math.min(hard > 0 ? hard : Infinity, by === 'bytes' ? Infinity : MAX_REMAINING * sizes.before);
  return Math.min(checkpoint ?? byRoom, most - otherTokens);
}

function nothing({ input = 0, hard }: Gauge): RefusedPlan {
  const parts = { front: 0, tools: 0, checkpoint: 0, directives: 0, tail: 0, notes: 0 };
  return { sizes: { before: input, after: input, hard, parts }, refused: 'nothing-to-leave-out' };
}

// The next functions judge if a compaction is worth making. The next request must fit, and it must be smaller by at
// least a fifth. Without this rule, compactions would be repeated and would free almost nothing each time.

/** Maximum share of the request that may remain after a compaction. */
const MAX_REMAINING: number = 0.8;

/** Maximum share of a provider's byte limit for a request after a compaction. */
const MAX_BYTE_SHARE: number = 0.9;

/** Sizes of a compaction: estimated tokens on the model's scale. */
export interface CompactionSizes {
  /** Size of the next request without the compaction. */
  readonly before: number;
  /** Size of the next request after the compaction. */
  readonly after: number;
  /** Limit for `after`: the budget `hard` of the gauge, or 0 if no limit is known. */
  readonly hard: number;
  readonly parts: { readonly [part in RequestPart]: number };
}

/**
 * Reason why a compaction is not made. `nothing-to-leave-out`: no part of the history can be omitted. `nothing-new`:
 * another compaction waits for the next request and already omits the same amount. `does-not-fit`: the request after
 * the compaction exceeds the token or byte limit. `shrinks-too-little`: the request shrinks by less than a fifth.
 */
export type CompactionRefusal = 'nothing-to-leave-out' | 'nothing-new' | 'does-not-fit' | 'shrinks-too-little';

/** Sizes of a compaction, and the reason if it is refused. */
export interface JudgedCompaction {
  readonly sizes: CompactionSizes;
  /** Absent if the compaction is worth making. */
  readonly refused?: CompactionRefusal;
}

/**
 * Judges if a compaction is worth making with a checkpoint of the given size. The tokens of `checkpoint` are on the
 * model's scale.
 */
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
  if ((hard > 0 && after > hard) || bytes > MAX_BYTE_SHARE * bytesLimit) return 'does-not-fit';
  const lighter = gauge.by === 'bytes' && bytes <= MAX_REMAINING * gauge.bytes;
  return after <= MAX_REMAINING * before || lighter ? undefined : 'shrinks-too-little';
}

/**
 * Estimates the tokens of the request from its bytes, if the gauge has no token count. The result is at least the size
 * of the front and the tools.
 */
function wholeOf(state: State, { bytes }: Gauge, { front, tools }: CompactionSizes['parts']): number {
  return Math.max(front + tools, inModelTokens(state, Math.ceil(bytes / 4)).tokens);
}

/**
 * Returns the lowest cliff that the request exceeds before the compaction and no longer exceeds after it. Returns
 * `undefined` if there is none. If a request exceeds a cliff, the model charges more for the whole request.
 */
export function cliffCleared(
  { before, after }: CompactionSizes,
  row: Pick<Capabilities, 'prices'>,
  at: Timestamp,
): number | undefined {
  return cliffsOf(row, at).find((above) => after <= above && before > above);
}

/** Forecast tokens of a request by bucket: see `CallForecast`. */
interface ForecastBuckets {
  readonly fresh: number;
  readonly read: number;
  readonly written: number;
}

/**
 * Returns the tokens that the next request pays for because of the compaction and would otherwise read from the cache,
 * with the additional cost compared with reading them. `cost` is absent if the price is unknown. Returns `undefined` if
 * there are no such tokens, for example because the entries have expired, or because they belong to another model.
 */
export function breakCost(
  { uncompacted, compacted }: { readonly uncompacted: ForecastBuckets; readonly compacted: ForecastBuckets },
  capabilities: Capabilities,
  at: Timestamp,
): { readonly tokens: number; readonly cost?: Money } | undefined {
  const more = compacted.fresh + compacted.written - uncompacted.fresh - uncompacted.written;
  const tokens = Math.min(uncompacted.read, more);
  if (tokens <= 0) return undefined;
  const input = compacted.fresh + compacted.read + compacted.written;
  const ttl = compacted.written === 0 ? undefined : capabilities.ttls[0];
  const cost = rewriteCost({ capabilities, at, input, tokens, ttl });
  return defined({ tokens, cost });
}

/** Part of a request with its estimated tokens on the model's scale. */
export interface LargePart {
  /** Name of the part: `front`, `tools`, or a role and position such as `user at 17`. */
  readonly what: string;
  readonly tokens: number;
}

/**
 * Returns the largest parts of the next request, largest first. The list has at most `most` parts. Parts without tokens
 * are omitted.
 */
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
