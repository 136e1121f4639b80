// What a compaction would leave out and keep, with the full size of the request behind it. Nothing is made here.

import { defined } from '@tidemark/core';
import type { Position, Range } from '@tidemark/log';
import { position } from '@tidemark/log';
import type { Capabilities, Span } from '@tidemark/model';
import { slice } from '../base/append-only.ts';
import { modelSize, modelTokens, placeOf, scaleSize, scalingOf } from '../fold/model-tokens.ts';
import { frontSize, waitingSize } from '../pressure/next-input.ts';
import type { Scaling } from '../state/scales.ts';
import { scaleOfText } from '../state/scales.ts';
import { keptBehind } from '../fold/settle.ts';
import type { SpanSize } from '../base/estimate.ts';
import { addSizes, NO_SIZE, sizeOfSpan } from '../base/estimate.ts';
import type { State } from '../state/state.ts';

/** What to keep. */
export interface DraftOptions {
  readonly row: Pick<Capabilities, 'prefixCheck' | 'reasoningInLoop'>;
  /** Most tokens of the history behind the checkpoint, on the model's scale. */
  readonly tail: number;
  /** Tokens that a byte of the tail takes at least, where bytes are what the request lacks. */
  readonly perByte?: number;
  /** Most UTF-16 units of a text in a kept result; absent is no bound. */
  readonly shortens?: number;
  /** Where the notes stand that will be said again when they are left out. */
  readonly noted: Iterable<number>;
  /** Nothing is kept, whatever the tail: the checkpoint stands alone. */
  readonly alone?: boolean;
}

/** A compaction before its checkpoint is made. Its sizes are estimates on the model's scale. */
export interface CompactionDraft {
  readonly range: Range;
  /** Prompts and steers inside the range that stay. */
  readonly keeps: readonly Position[];
  readonly shortens?: number;
  /** What stays behind the range. */
  readonly kept: readonly Span[];
  /** What the checkpoint will stand for, but for what the checkpoint before stands for; and the size of that one. */
  readonly left: SpanSize;
  readonly carried: SpanSize;
  /** Tokens that the model counts for one estimated token of both. */
  readonly scale: number;
  readonly parts: { readonly [part in Exclude<RequestPart, 'checkpoint'>]: SpanSize };
}

/** What a request behind a compaction is made of. */
export type RequestPart = 'front' | 'tools' | 'checkpoint' | 'directives' | 'tail' | 'notes';

/** Drafts a compaction; `undefined` where there is nothing to leave out. */
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
  const all = keptBehind(tail, { to, keeps, shortens });
  const kept = all.slice(keeps.length);
  const noted = new Set(options.noted);
  const shown = (spans: readonly Span[]): readonly Span[] => spans.map((one) => shownSpan(one, options.row));
  const sizes = (spans: readonly Span[]): SpanSize => modelSize(scaling, shown(spans));
  const lead = slice(history.packed).slice(0, history.lead);
  return defined({
    range: { from: compacted?.data.range.from ?? position(0), to },
    keeps,
    shortens,
    kept,
    left: sizes(left),
    carried: sizes(lead),
    scale: meanScale(scaling, shown([...lead, ...left])),
    parts: {
      front: scaleSize(frontSize(state), front),
      tools: scaleSize(epoch.opened.toolSize ?? NO_SIZE, front),
      directives: sizes(all.slice(0, keeps.length)),
      tail: addSizes(sizes(kept), scaleSize(waitingSize(history), scaleOfText(scaling, undefined))),
      notes: sizes(left.filter((span) => noted.has(placeOf(span)))),
    },
  });
}

/**
 * Whether the steps of the open tool loop cannot stand behind a checkpoint: with their reasoning the edit is refused, without
 * it their calls are. Then none is kept; the prompts of the turn are, and the checkpoint tells the work.
 */
function mustLeaveLoop(tail: readonly Span[], { prefixCheck, reasoningInLoop }: DraftOptions['row']): boolean {
  if (!prefixCheck || reasoningInLoop !== 'required') return false;
  const opened = tail.findLastIndex(({ opensTurn }) => opensTurn);
  return tail.slice(opened + 1).some(({ parts }) => parts.some(({ type }) => type === 'reasoning'));
}

/** Behind all that is packed; nothing may be open. */
function endOf({ length }: State, tail: readonly Span[]): TailBoundary | undefined {
  return tail.length === 0 ? undefined : { first: tail.length, to: position(length - 1) };
}

/** What was said in the turn under way, of what is packed. */
function standing({ directives }: State, left: readonly Span[]): readonly Position[] {
  const said = new Set<number>(slice(directives));
  return left.flatMap((span) => (said.has(placeOf(span)) ? [position(placeOf(span))] : []));
}

function weightOf(scaling: Scaling, span: Span, perByte: number = 0): number {
  return Math.max(modelTokens(scaling, span), perByte * sizeOfSpan(span).bytes);
}

function meanScale(scaling: Scaling, spans: readonly Span[]): number {
  const estimated = spans.reduce((sum, one) => sum + sizeOfSpan(one).tokens, 0);
  return estimated === 0 ? scaleOfText(scaling, undefined) : modelSize(scaling, spans).tokens / estimated;
}

/** Reasoning is bound to the prefix that a compaction edits: a model that checks it is not sent it any more. */
function shownSpan(span: Span, { prefixCheck }: DraftOptions['row']): Span {
  if (!prefixCheck || !span.parts.some(({ type }) => type === 'reasoning')) return span;
  return { ...span, parts: span.parts.filter(({ type }) => type !== 'reasoning') };
}

/**
 * A cut through a tail of spans. It is between messages, never between a call and its result or inside a parallel batch, by
 * tokens from the end. Results that the model has not seen are always kept, with the answer that asked for them.
 */
export interface TailBoundary {
  /** Index of the first span that is kept; as many as there are when none is. */
  readonly first: number;
  /** The last position that the checkpoint stands for. */
  readonly to: Position;
}

/** Spans of one group: an answer with all its results, or what was said together. */
interface Message {
  readonly first: number;
  readonly spans: readonly Span[];
}

/**
 * The earliest cut that keeps at most so many tokens behind it, as `tokensOf` counts them; results that were not seen yet are
 * kept beyond that. `undefined` when nothing would be left out. `after`: what a checkpoint in force stands for already.
 */
export function boundaryOf(
  tail: readonly Span[],
  tokens: number,
  tokensOf: (span: Span) => number,
  after = -1,
): TailBoundary | undefined {
  const messages = messagesOf(tail);
  const least = firstUnseen(messages);
  let kept = sumOf(messages.slice(least), tokensOf);
  const cutAt = cutsOf(tail, after);
  let found = cutAt(messages[least]?.first ?? tail.length);
  for (let index = least - 1; index >= 0; index -= 1) {
    const message = messages[index];
    if (message === undefined) break;
    kept += sumOf([message], tokensOf);
    if (kept > tokens) break;
    if (index === 0) return undefined;
    found = cutAt(message.first) ?? found;
  }
  return found;
}

/** The cut behind all that is packed; `undefined` when nothing is. What waits to be packed stays, and so do open calls. */
function cutBehind(tail: readonly Span[], after = -1): TailBoundary | undefined {
  return cutsOf(tail, after)(tail.length);
}

function messagesOf(tail: readonly Span[]): readonly Message[] {
  const starts = tail.flatMap((span, index) => (span.group === tail[index - 1]?.group ? [] : [index]));
  return starts.map((first, index) => ({ first, spans: tail.slice(first, starts[index + 1] ?? tail.length) }));
}

/** Index of the answer whose results the model has not seen; as many as there are messages when it has seen all. */
function firstUnseen(messages: readonly Message[]): number {
  const last = messages.findLastIndex(({ spans }) => spans[0]?.role === 'assistant');
  const waits = messages[last]?.spans.some(({ role }) => role !== 'assistant') === true;
  return waits ? last : messages.length;
}

function sumOf(messages: readonly Message[], tokensOf: (span: Span) => number): number {
  return messages.reduce((all, { spans }) => spans.reduce((one, span) => one + tokensOf(span), all), 0);
}

/**
 * Cuts before a span, where the fold can make one: all groups before it lie at or below a position, and its own above.
 * Settled order is not that of positions, so that not every place has one.
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
    const kept = ahead[tail.length - first] ?? Infinity;
    return { first, to: position(Math.min(ceiling, Math.max(floor, kept - 1))) };
  };
}

/** What a fold over the first spans gives: for none, for one, and so on to all of them. */
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
