// Fit of `chanceOfNeed`: counts the long results of recorded sessions that became prunable. Also counts how many of
// them the input of a later tool call referred to.

import type { Grounds, State, ResultUse, Uses } from '@tidemark/context';
import {
  emptyState,
  evolve,
  GROUNDS,
  goToTurn,
  groundsOf,
  itemAt,
  noteResult,
  noteSaid,
  noUses,
} from '@tidemark/context';
import type { Recorded } from '@tidemark/log';
import type { ResultPart, Span } from '@tidemark/model';

/**
 * Number of results that became prunable for some reason (`seen`), and number of these results that were needed later
 * (`needed`).
 */
export interface Need {
  readonly seen: number;
  readonly needed: number;
}

/** Counts by the grounds on which results became prunable. */
export type Needs = Readonly<Record<Grounds, Need>>;

/** Size in UTF-16 units up to which a result is never shortened. */
const SHORT = 1_200;

/**
 * Returns the chance that a result is needed. One more result of each outcome is added to the counts, because few
 * results were seen.
 */
export function chanceOf({ seen, needed }: Need): number {
  return (needed + 1) / (seen + 2);
}

/** Returns the summed counts of several sessions. */
export function addNeeds(all: readonly Needs[]): Needs {
  return needsBy((grounds) => ({
    seen: all.reduce((sum, one) => sum + one[grounds].seen, 0),
    needed: all.reduce((sum, one) => sum + one[grounds].needed, 0),
  }));
}

/**
 * Counts the results of a recorded session that became prunable, and those of them that were needed later. A result
 * counts once for each reason (`Grounds`) for which it was prunable at any time.
 */
export async function needsOf(records: AsyncIterable<Recorded> | Iterable<Recorded>): Promise<Needs> {
  const outcomes = new Map<ResultUse, Map<Grounds, boolean>>();
  const turns: number[] = [];
  let state = emptyState();
  let uses: Uses | undefined;
  const onRefer = (use: ResultUse, by: 'words' | 'input'): void => {
    const known = by === 'input' ? outcomes.get(use) : undefined;
    for (const grounds of known?.keys() ?? []) known?.set(grounds, true);
  };
  for await (const record of records) {
    const before = state.history.settled;
    state = evolve(state, record);
    uses ??= noUses(state.workspace, { onRefer });
    if (record.kind === 'turn.started') turns.push(record.position);
    for (const span of newSpans(state, before)) {
      goToTurn(uses, Math.max(uses.turn, turns.filter((turn) => turn < span.group).length));
      const result = resultIn(span);
      if (result === undefined) noteSaid(uses, span);
      else if (isLong(result)) outcomes.set(noteResult(uses, result), new Map());
      else noteResult(uses, result);
      for (const use of uses.changed) noteGrounds(outcomes.get(use), groundsOf(use));
      uses.changed.clear();
    }
  }
  const all = [...outcomes.values()];
  return needsBy((grounds) => ({
    seen: all.filter((one) => one.has(grounds)).length,
    needed: all.filter((one) => one.get(grounds) === true).length,
  }));
}

function needsBy(need: (grounds: Grounds) => Need): Needs {
  const [repeated, changed, changedUnused, unused] = GROUNDS.map(need);
  if (repeated === undefined || changed === undefined || changedUnused === undefined || unused === undefined)
    throw new Error('there are four grounds');
  return { repeated, changed, 'changed-unused': changedUnused, unused };
}

function noteGrounds(outcomes: Map<Grounds, boolean> | undefined, grounds: Grounds | undefined): void {
  if (outcomes !== undefined && grounds !== undefined && !outcomes.has(grounds)) outcomes.set(grounds, false);
}

/** Returns the newest spans of the packed history: those with an ordinal of at least `settled`. */
function newSpans({ history: { packed } }: State, settled: number): readonly Span[] {
  const spans: Span[] = [];
  for (let index = packed.length - 1; index >= 0; index -= 1) {
    const span = itemAt(packed, index);
    if (span === undefined || span.ordinal < settled) break;
    spans.unshift(span);
  }
  return spans;
}

function resultIn({ parts: [part] }: Span): ResultPart | undefined {
  return part?.type === 'result' ? part : undefined;
}

function isLong({ content }: ResultPart): boolean {
  return content.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0) > SHORT;
}
