// What a bound left out, kept so that every later checkpoint can still name it: how many, and where in the log.

import type { Position } from '@tidemark/log';
import type { LeftOut } from './checkpoint.ts';

type PositionSpan = LeftOut['spans'][number];

/** So many stretches are named apart; nearer ones are then named as one. */
const MOST_SPANS = 12;

/**
 * What was left out before, and what is left out now, as one: places between which the list keeps nothing are one stretch.
 */
export function addLeftOut(
  before: LeftOut | undefined,
  gone: readonly Position[],
  kept: readonly Position[],
): LeftOut | undefined {
  if (before === undefined && gone.length === 0) return undefined;
  const spans = [...(before?.spans ?? []), ...gone.map((one): PositionSpan => [one, one])];
  return { count: (before?.count ?? 0) + gone.length, spans: joinNear(joinStretches(spans, kept)) };
}

/** The positions in words: `3, 8-12`. */
export function spansInWords({ spans }: LeftOut): string {
  return spans.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(', ');
}

function joinStretches(spans: readonly PositionSpan[], kept: readonly Position[]): readonly PositionSpan[] {
  const joined: PositionSpan[] = [];
  const places = kept.toSorted((a, b) => a - b);
  let next = 0;
  for (const span of spans.toSorted((a, b) => a[0] - b[0])) {
    const last = joined.at(-1);
    const end = last?.[1] ?? -1;
    while ((places[next] ?? Infinity) <= end) next += 1;
    if (last === undefined || (places[next] ?? Infinity) < span[0]) joined.push(span);
    else joined[joined.length - 1] = [last[0], span[1] > last[1] ? span[1] : last[1]];
  }
  return joined;
}

/** The narrowest gaps are closed, all at once. */
function joinNear(spans: readonly PositionSpan[]): readonly PositionSpan[] {
  if (spans.length <= MOST_SPANS) return spans;
  const gaps = spans.slice(1).map((span, index) => ({ index, width: span[0] - (spans[index]?.[1] ?? span[0]) }));
  const kept = new Set(
    gaps
      .toSorted((a, b) => b.width - a.width || a.index - b.index)
      .slice(0, MOST_SPANS - 1)
      .map(({ index }) => index),
  );
  const joined: PositionSpan[] = [];
  for (const [index, span] of spans.entries()) {
    const last = joined.at(-1);
    if (last === undefined || kept.has(index - 1)) joined.push(span);
    else joined[joined.length - 1] = [last[0], span[1]];
  }
  return joined;
}
