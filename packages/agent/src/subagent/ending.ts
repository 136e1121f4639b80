// How a subagent ended, by its own log: what its parent's log keeps of that, and what the model that asked is told. That is a
// prompt to look: the proof is the log.

import { defined } from '@tidemark/core';
import type { EventData, Log, SessionId, TurnEnded, TurnTotals } from '@tidemark/log';
import { LogError } from '@tidemark/log';
import { openCalls, recover } from '../decide/next-move.ts';
import { AgentError } from '../errors.ts';
import { headOf } from '../output/shape-output.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Notice } from '../ports/session-event.ts';
import type { Surroundings } from '../ports/surroundings.ts';
import type { ToolOutput } from '../ports/tool.ts';
import type { Fold, Session } from '../session/session.ts';
import { commit, openSession, readFold } from '../session/session.ts';
import { NOTHING_SPENT, totalsOf } from '../session/spent.ts';

/** The ending of a subagent, as its own log holds it. */
export interface SubagentEnding {
  readonly outcome: TurnEnded['outcome'];
  /** Its last words. */
  readonly text: string;
  readonly error: TurnEnded['error'];
  readonly totals: TurnTotals;
}

/** A subagent that never said anything. */
const NEVER_BEGAN: SubagentEnding = {
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
function endedAs(child: SessionId, { outcome, text, error, totals }: SubagentEnding): EventData['subagent.ended'] {
  const words = text.trim() === '' ? (error?.message ?? '') : text.trim();
  const summary = headOf(words, SUMMARY).text;
  const { cost } = totals;
  return defined({ child, status: outcome, summary, cost, totals });
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
  const head = `Subagent ${child} ${HOW[outcome]}${why} (${formatCount(totals.steps, 'answer')}, ${formatCount(totals.calls, 'call')}, ${cost}).`;
  const words = text.trim() === '' ? 'It said nothing.' : outcome === 'completed' ? text : `It said last: ${text}`;
  const facts = [{ kind: 'subagent.ended', data: endedAs(child, ending) } as const];
  return { text: `${head}\n\n${words}`, facts, ...(outcome !== 'completed' && { failed: true }) };
}

function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

// Ends subagents that a crash left open, before the next turn begins, so no session waits for one that is gone, and none is an
// orphan (L8). What they used until then counts.

/** What is settled with. */
interface Settling {
  readonly log: Log;
  readonly secrets: Secrets;
  readonly surroundings: Surroundings;
  /** Told of one that is open elsewhere, or damaged: it is left, and tried again before the turn after. */
  tell(notice: Notice): void;
}

/** Ends those of a session that nobody takes up again: all of them, or with `goesOn` those whose call is closed. */
export async function settleSubagents(session: Session, settling: Settling, goesOn: boolean): Promise<void> {
  const open = new Set<string>(goesOn ? openCalls(session.state) : []);
  const left = [...session.progress.openSubagents.values()].filter(({ call }) => call === undefined || !open.has(call));
  for (const { child } of left) {
    const ending = await tryToEnd(child, settling);
    if (ending === undefined) continue;
    const data = endedAs(child, ending);
    await commit(session, [{ kind: 'subagent.ended', at: settling.surroundings.now(), data }]);
  }
}

async function tryToEnd(child: SessionId, settling: Settling): Promise<SubagentEnding | undefined> {
  try {
    return await endOf(child, settling);
  } catch (error) {
    if (!(error instanceof LogError || error instanceof AgentError)) throw error;
    const message = `the subagent ${child} could not be ended: ${error.message}`;
    settling.tell({ code: 'subagent/left-open', message, next: 'It is tried again before the next turn.' });
    return undefined;
  }
}

/** How it ended; its turn is ended as interrupted where it is open, and its own subagents before that. */
async function endOf(child: SessionId, settling: Settling): Promise<SubagentEnding> {
  const { log, secrets, surroundings } = settling;
  const fold = await foldOf(log, child);
  if (fold === undefined) return NEVER_BEGAN;
  if (fold.state.turn === undefined && fold.progress.openSubagents.size === 0) return endingOf(fold) ?? NEVER_BEGAN;
  const session = await openSession(log, child, secrets);
  try {
    await settleSubagents(session, settling, false);
    await commit(session, recover(session, 'other', { at: surroundings.now(), turn: session.progress.turn?.id }));
    await session.writer.sync();
    return endingOf(session) ?? NEVER_BEGAN;
  } finally {
    await session.writer.close();
  }
}
