// Results that an epoch packs shortened. Everything keeps its place: only what a result shows becomes less.

import type { PrunedResult } from '@tidemark/log';
import type { Span } from '@tidemark/model';
import { appendOnly, slice } from '../base/append-only.ts';
import { shownUpTo } from '../base/render-pruned.ts';
import { ownCalls } from './settle.ts';
import type { History, Pruning } from '../state/state.ts';

/** The history with the results of these batches shortened. What is no longer packed, or is no result, stays as it is. */
export function prune(history: History, prunings: readonly Pruning[]): History {
  const results = prunings.flatMap((one) => one.results);
  const kept = new Map<number, PrunedResult>(results.map((one) => [one.position, one]));
  const packed = slice(history.packed).map((span) => shortened(span, kept));
  return { ...history, packed: appendOnly(packed), calls: new Map(ownCalls(history)) };
}

function shortened(span: Span, kept: ReadonlyMap<number, PrunedResult>): Span {
  const shown = span.origin.from === 'event' ? kept.get(span.origin.position) : undefined;
  return shown === undefined ? span : shownUpTo(span, shown);
}
