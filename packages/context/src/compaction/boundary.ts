// Where a compaction may cut: between messages, never between a call and its result or inside a parallel batch, by tokens
// from the end. Results that the model has not seen are always kept, with the answer that asked for them.

import type { Position } from '@tidemark/log';
import { position } from '@tidemark/log';
import type { Span } from '@tidemark/model';

/** A cut through a tail of spans. */
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
  const least = unseen(messages);
  let kept = sum(messages.slice(least), tokensOf);
  const cutAt = cutsOf(tail, after);
  let found = cutAt(messages[least]?.first ?? tail.length);
  for (let index = least - 1; index >= 0; index -= 1) {
    const message = messages[index];
    if (message === undefined) break;
    kept += sum([message], tokensOf);
    if (kept > tokens) break;
    if (index === 0) return undefined;
    found = cutAt(message.first) ?? found;
  }
  return found;
}

/** The cut behind all that is packed; `undefined` when nothing is. What waits to be packed stays, and so do open calls. */
export function cutBehind(tail: readonly Span[], after = -1): TailBoundary | undefined {
  return cutsOf(tail, after)(tail.length);
}

function messagesOf(tail: readonly Span[]): readonly Message[] {
  const starts = tail.flatMap((span, index) => (span.group === tail[index - 1]?.group ? [] : [index]));
  return starts.map((first, index) => ({ first, spans: tail.slice(first, starts[index + 1] ?? tail.length) }));
}

/** Index of the answer whose results the model has not seen; as many as there are messages when it has seen all. */
function unseen(messages: readonly Message[]): number {
  const last = messages.findLastIndex(({ spans }) => spans[0]?.role === 'assistant');
  const waits = messages[last]?.spans.some(({ role }) => role !== 'assistant') === true;
  return waits ? last : messages.length;
}

function sum(messages: readonly Message[], tokensOf: (span: Span) => number): number {
  return messages.reduce((all, { spans }) => spans.reduce((one, span) => one + tokensOf(span), all), 0);
}

/**
 * Cuts before a span, where the fold can make one: all groups before it lie at or below a position, and its own above.
 * Settled order is not that of positions, so that not every place has one.
 */
function cutsOf(tail: readonly Span[], after: number): (first: number) => TailBoundary | undefined {
  const floors = running(tail, ({ group }) => group, Math.max, after);
  const places = running(tail, placeOf, Math.max, after);
  const ahead = running(tail.toReversed(), placeOf, Math.min, Infinity);
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

function placeOf({ origin, group }: Span): number {
  return origin.from === 'event' ? origin.position : group;
}
