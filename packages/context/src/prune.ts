// Results that an epoch packs shortened. Everything keeps its place: only what a result shows becomes less.

import type { ResultPart, Span } from '@tidemark/model';
import { appendOnly, slice } from './append-only.ts';
import { renderPruned, textOfResult } from './render-pruned.ts';
import { ownCalls } from './settle.ts';
import type { History, Pruning } from './state.ts';

/** The history with the results of these batches shortened. What is no longer packed, or is no result, stays as it is. */
export function prune(history: History, prunings: readonly Pruning[]): History {
  const results = prunings.flatMap((one) => one.results);
  const kept = new Map<number, number>(results.map((one) => [one.position, one.kept]));
  const packed = slice(history.packed).map((span) => shortened(span, kept));
  return { ...history, packed: appendOnly(packed), calls: new Map(ownCalls(history)) };
}

function shortened(span: Span, kept: ReadonlyMap<number, number>): Span {
  const { origin, parts } = span;
  const [result] = parts;
  if (origin.from !== 'event' || result?.type !== 'result') return span;
  const shown = kept.get(origin.position);
  if (shown === undefined || isWhole(result.content, shown)) return span;
  return { ...span, parts: [{ ...result, content: [renderPruned(result.content, shown, origin.position)] }] };
}

/** Nothing of it would be left out. */
function isWhole(content: ResultPart['content'], kept: number): boolean {
  return content.every(({ type }) => type === 'text') && textOfResult(content).length <= kept;
}
