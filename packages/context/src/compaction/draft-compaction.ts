// Drafts a compaction. The draft contains the spans that the compaction omits and keeps, and the sizes of the parts of
// the request after it. The checkpoint is made later, so the draft does not contain the size of the checkpoint.

import { defined } from '@tidemark/core';
import type { Position, Range } from '@tidemark/log';
import { position } from '@tidemark/log';
import type { Capabilities, Span } from '@tidemark/model';
import { slice } from '../base/append-only.ts';
import { modelSize, modelTokens, placeOf, scaleSize, scalingOf } from '../fold/model-tokens.ts';
import { frontSize, waitingSize } from '../pressure/next-input.ts';
import type { Scaling } from '../state/scales.ts';
import { scaleOfText } from '../state/scales.ts';
import { remainingSpans } from '../fold/settle.ts';
import type { SpanSize } from '../base/estimate.ts';
import { addSizes, NO_SIZE, sizeOfSpan } from '../base/estimate.ts';
import type { State } from '../state/state.ts';

/** Options of `draftCompaction`, mostly for the part of the history that is kept. */
export interface DraftOptions {
  readonly row: Pick<Capabilities, 'prefixCheck' | 'reasoningInLoop'>;
  /** Maximum tokens of the history after the checkpoint, on the model's scale. */
  readonly tail: number;
  /**
   * Minimum weight of one byte of the tail, in tokens. Set if the compaction is necessary because of the byte limit and
   * not because of the token limit.
   */
  readonly perByte?: number;
  /** Maximum length of a text in a kept result, in UTF-16 units. Absent means no limit. */
  readonly shortens?: number;
  /** Positions of the notes that will be recorded again if the compaction omits them. */
  readonly noted: Iterable<number>;
  /** True to keep only the checkpoint and no part of the history. `tail` is then ignored. */
  readonly alone?: boolean;
}

/** Compaction before its checkpoint is made. Its sizes are estimates on the model's scale. */
export interface CompactionDraft {
  readonly range: Range;
  /** Positions of the current turn's prompts that are inside the range and are kept. Steering prompts are included. */
  readonly keeps: readonly Position[];
  readonly shortens?: number;
  /** Spans that remain after the range. */
  readonly kept: readonly Span[];
  /**
   * Size of the spans that the new checkpoint replaces. `carried` is the size of the previous checkpoint, which the new
   * checkpoint also replaces.
   */
  readonly left: SpanSize;
  readonly carried: SpanSize;
  /** Ratio of the model's tokens to estimated tokens, for the text of `left` and `carried` together. */
  readonly scale: number;
  readonly parts: { readonly [part in Exclude<RequestPart, 'checkpoint'>]: SpanSize };
}

/**
 * Part of a request after a compaction. `directives`: prompts of the omitted range that are kept. `tail`: spans that
 * remain after the range, and content that waits to be packed. `notes`: omitted notes that will be recorded again.
 */
export type RequestPart = 'front' | 'tools' | 'checkpoint' | 'directives' | 'tail' | 'notes';

/** Drafts a compaction. Returns `undefined` if no epoch is open, or if there is nothing to omit. */
export function draftCompaction(state: State, options: DraftOptions): CompactionDraft | undefined {
  const { history, compacted, epoch } = state;
  const tail = slice(history.packed, history.lead);
  const scaling = scalingOf(state);
  const weight = (span: Span): number => weightOf(scaling, shownSpan(span, options.row), options.perByte);
  const front = scaleOfText(scaling, -1);
  const { shortens, alone = false } = options;
  const after = compacted?.data.range.to;
  const boundary = alone
    ? endOf(state, tail)
    : mustLeaveLoop(tail, options.row)
      ? cutBehind(tail, after)
      : boundaryOf(tail, options.tail, weight, after);
  if (epoch === undefined || boundary === undefined) return undefined;
  const { to, first } = boundary;
  const left = tail.slice(0, first);
  const keeps = alone ? [] : standing(state, left);
  const all = remainingSpans(tail, { to, keeps, shortens });
  const keptSpans = all.slice(keeps.length);
  const noted = new Set(options.noted);
  const shown = (spans: readonly Span[]): readonly Span[] => spans.map((one) => shownSpan(one, options.row));
  const sizes = (spans: readonly Span[]): SpanSize => modelSize(scaling, shown(spans));
  const lead = slice(history.packed).slice(0, history.lead);
  return defined({
    range: { from: compacted?.data.range.from ?? position(0), to },
    keeps,
    shortens,
    kept: keptSpans,
    left: sizes(left),
    carried: sizes(lead),
    scale: meanScale(scaling, shown([...lead, ...left])),
    parts: {
      front: scaleSize(frontSize(state), front),
      tools: scaleSize(epoch.opened.toolSize ?? NO_SIZE, front),
      directives: sizes(all.slice(0, keeps.length)),
      tail: addSizes(sizes(keptSpans), scaleSize(waitingSize(history), scaleOfText(scaling, undefined))),
      notes: sizes(left.filter((span) => noted.has(placeOf(span)))),
    },
  });
}

/**
 * Returns true if the steps of the open tool loop must be omitted. After a compaction, a provider that checks the
 * prefix refuses the old reasoning of these steps. It also refuses their calls without this reasoning. The prompts of
 * the turn are still kept, and the checkpoint describes the work.
 */
function mustLeaveLoop(tail: readonly Span[], { prefixCheck, reasoningInLoop }: DraftOptions['row']): boolean {
  if (!prefixCheck || reasoningInLoop !== 'required') return false;
  const opened = tail.findLastIndex(({ opensTurn }) => opensTurn);
  return tail.slice(opened + 1).some(({ parts }) => parts.some(({ type }) => type === 'reasoning'));
}

/** Returns the cut after all packed spans and all records. The caller must make sure that no call is open. */
function endOf({ length }: State, tail: readonly Span[]): TailBoundary | undefined {
  return tail.length === 0 ? undefined : { first: tail.length, to: position(length - 1) };
}

/** Returns the positions of the current turn's prompts among the omitted spans. */
function standing({ directives }: State, left: readonly Span[]): readonly Position[] {
  const prompts = new Set<number>(slice(directives));
  return left.flatMap((span) => (prompts.has(placeOf(span)) ? [position(placeOf(span))] : []));
}

function weightOf(scaling: Scaling, span: Span, perByte: number = 0): number {
  return Math.max(modelTokens(scaling, span), perByte * sizeOfSpan(span).bytes);
}

function meanScale(scaling: Scaling, spans: readonly Span[]): number {
  const estimated = spans.reduce((sum, one) => sum + sizeOfSpan(one).tokens, 0);
  return estimated === 0 ? scaleOfText(scaling, undefined) : modelSize(scaling, spans).tokens / estimated;
}

/**
 * Returns the span as it will be sent. Reasoning is bound to the prefix, and a compaction changes the prefix. If the
 * model checks the prefix, the reasoning is therefore removed.
 */
function shownSpan(span: Span, { prefixCheck }: DraftOptions['row']): Span {
  if (!prefixCheck || !span.parts.some(({ type }) => type === 'reasoning')) return span;
  return { ...span, parts: span.parts.filter(({ type }) => type !== 'reasoning') };
}

/**
 * Cut through a tail of spans. It is chosen by tokens, counted from the end. The cut is always between messages, so it
 * never separates a call from its result and never splits a parallel batch. Results that the model has not seen are
 * always kept, together with the answer that made the calls.
 */
export interface TailBoundary {
  /** Index of the first kept span, or the number of spans if none is kept. */
  readonly first: number;
  /** Last position that the checkpoint covers. */
  readonly to: Position;
}

/** Spans of one group: an answer with all its results, or prompts and notes that were packed together. */
interface Message {
  readonly first: number;
  readonly spans: readonly Span[];
}

/**
 * Returns the earliest cut after which at most `tokens` tokens are kept, counted by `tokensOf`. Results that the model
 * has not seen are always kept. Returns `undefined` if nothing would be omitted. `after` is the last position that the
 * current checkpoint covers.
 */
export function boundaryOf(
  tail: readonly Span[],
  tokens: number,
  tokensOf: (span: Span) => number,
  after = -1,
): TailBoundary | undefined {
  const messages = messagesOf(tail);
  const least = firstUnseen(messages);
  let keptTokens = sumOf(messages.slice(least), tokensOf);
  const cutAt = cutsOf(tail, after);
  let found = cutAt(messages[least]?.first ?? tail.length);
  for (let index = least - 1; index >= 0; index -= 1) {
    const message = messages[index];
    if (message === undefined) break;
    keptTokens += sumOf([message], tokensOf);
    if (keptTokens > tokens) break;
    if (index === 0) return undefined;
    found = cutAt(message.first) ?? found;
  }
  return found;
}

/**
 * Returns the cut after all packed spans, or `undefined` if nothing is packed. Open calls, and content that waits to be
 * packed, stay after the cut.
 */
function cutBehind(tail: readonly Span[], after = -1): TailBoundary | undefined {
  return cutsOf(tail, after)(tail.length);
}

function messagesOf(tail: readonly Span[]): readonly Message[] {
  const starts = tail.flatMap((span, index) => (span.group === tail[index - 1]?.group ? [] : [index]));
  return starts.map((first, index) => ({ first, spans: tail.slice(first, starts[index + 1] ?? tail.length) }));
}

/**
 * Returns the index of the answer whose results the model has not seen. Returns the number of messages if the model has
 * seen all results.
 */
function firstUnseen(messages: readonly Message[]): number {
  const last = messages.findLastIndex(({ spans }) => spans[0]?.role === 'assistant');
  const waits = messages[last]?.spans.some(({ role }) => role !== 'assistant') === true;
  return waits ? last : messages.length;
}

function sumOf(messages: readonly Message[], tokensOf: (span: Span) => number): number {
  return messages.reduce((all, { spans }) => spans.reduce((one, span) => one + tokensOf(span), all), 0);
}

/**
 * Returns a function that takes the index of a span and returns the cut before that span. Spans are in settled order,
 * not in the order of their positions. The last omitted position must be at or after the groups of all earlier spans,
 * and before the group of the span at the index. If no such position exists, the function returns `undefined`.
 */
function cutsOf(tail: readonly Span[], after: number): (first: number) => TailBoundary | undefined {
  const floors = running(tail, ({ group }) => group, Math.max, after);
  const places = running(tail, positionOrGroup, Math.max, after);
  const ahead = running(tail.toReversed(), positionOrGroup, Math.min, Infinity);
  return (first) => {
    const floor = floors[first] ?? after;
    const dropped = Math.max(floor, places[first] ?? after);
    const ceiling = (tail[first]?.group ?? Infinity) - 1;
    if (first === 0 || floor > ceiling) return undefined;
    if (first === tail.length) return { first, to: position(dropped) };
    const nextGroup = ahead[tail.length - first] ?? Infinity;
    return { first, to: position(Math.min(ceiling, Math.max(floor, nextGroup - 1))) };
  };
}

/** Returns the running results of `fold`: element n is the result after the first n spans. */
function running(
  spans: readonly Span[],
  of: (span: Span) => number,
  fold: (a: number, b: number) => number,
  start: number,
): readonly number[] {
  const folded = [start];
  for (const span of spans) folded.push(fold(folded.at(-1) ?? start, of(span)));
  return folded;
}

function positionOrGroup({ origin, group }: Span): number {
  return origin.from === 'event' ? origin.position : group;
}
