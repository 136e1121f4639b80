// How a subagent ended, by its own log: what its parent's log keeps of that, and what the model that asked is told. That is a
// prompt to look: the proof is the log.

import type { EventData, Log, SessionId, TurnEnded, TurnTotals } from '@tidemark/log';
import { LogError } from '@tidemark/log';
import { headOf } from '../commit/cut-text.ts';
import type { Fold } from '../session/fold.ts';
import { readFold } from '../session/fold.ts';
import { NOTHING_SPENT, totalsOf } from '../session/spent.ts';
import type { ToolOutput } from '../tools/tool.ts';

/** See the head of this file. */
export interface SubagentEnding {
  readonly outcome: TurnEnded['outcome'];
  /** Its last words. */
  readonly text: string;
  readonly error: TurnEnded['error'];
  readonly totals: TurnTotals;
}

/** A subagent that never said anything. */
export const NEVER_BEGAN: SubagentEnding = {
  outcome: 'interrupted',
  text: '',
  error: undefined,
  totals: totalsOf(NOTHING_SPENT),
};

/** How its turn ended; `undefined` while that is open, or none was begun. */
export function endingOf({ progress: { turn } }: Pick<Fold, 'progress'>): SubagentEnding | undefined {
  if (turn?.ended === undefined) return undefined;
  const { outcome, error } = turn.ended;
  return { outcome, error, text: turn.text, totals: totalsOf(turn.spent) };
}

/** What is folded from its log; `undefined` where it was never begun. Takes no lock. */
export async function foldOf(log: Log, child: SessionId): Promise<Fold | undefined> {
  try {
    return (await readFold(log, child)).fold;
  } catch (error) {
    if (error instanceof LogError && error.code === 'log/missing') return undefined;
    throw error;
  }
}

/** What of its last words a summary keeps. */
const SUMMARY = { bytes: 1_000, lines: 20 };

/** The record of it. */
export function endedAs(
  child: SessionId,
  { outcome, text, error, totals }: SubagentEnding,
): EventData['subagent.ended'] {
  const words = text.trim() === '' ? (error?.message ?? '') : text.trim();
  const summary = headOf(words, SUMMARY).text;
  const { cost } = totals;
  return { child, status: outcome, summary, ...(cost !== undefined && { cost }), totals };
}

const HOW: Readonly<Record<SubagentEnding['outcome'], string>> = {
  completed: 'completed its task',
  failed: 'failed',
  interrupted: 'was interrupted',
  limited: 'reached a limit',
};

/** The output of the call that asked for it. */
export function outputOf(child: SessionId, ending: SubagentEnding): ToolOutput {
  const { outcome, text, error, totals } = ending;
  const why = error === undefined ? '' : `: ${error.message}`;
  const cost = totals.cost === undefined ? 'cost unknown' : `$${totals.cost}`;
  const head = `Subagent ${child} ${HOW[outcome]}${why} (${counted(totals.steps, 'answer')}, ${counted(totals.calls, 'call')}, ${cost}).`;
  const words = text.trim() === '' ? 'It said nothing.' : outcome === 'completed' ? text : `It said last: ${text}`;
  const facts = [{ kind: 'subagent.ended', data: endedAs(child, ending) } as const];
  return { text: `${head}\n\n${words}`, facts, ...(outcome !== 'completed' && { failed: true }) };
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
