// Reads the end of a subagent from its own log. Creates the record in the parent's log and the text for the calling
// model. This text gives the model only a summary and the id of the session. The subagent's log is the authoritative
// source.

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

/** End of a subagent according to its own log. */
export interface SubagentEnding {
  readonly outcome: TurnEnded['outcome'];
  /** Last text of the subagent. */
  readonly text: string;
  readonly error: TurnEnded['error'];
  readonly totals: TurnTotals;
}

/** Ending of a subagent whose turn never began. */
const NEVER_BEGAN: SubagentEnding = {
  outcome: 'interrupted',
  text: '',
  error: undefined,
  totals: totalsOf(NOTHING_SPENT),
};

/** Returns the end of the subagent's turn. Returns `undefined` if no turn has begun, or if the turn is still open. */
export function endingOf({ progress: { turn } }: Pick<Fold, 'progress'>): SubagentEnding | undefined {
  if (turn?.ended === undefined) return undefined;
  const { outcome, error } = turn.ended;
  return { outcome, error, text: turn.text, totals: totalsOf(turn.spent) };
}

/** Returns the fold of the subagent's log, or `undefined` if the log does not exist. Takes no lock. */
export async function foldOf(log: Log, child: SessionId): Promise<Fold | undefined> {
  try {
    return (await readFold(log, child)).fold;
  } catch (error) {
    if (error instanceof LogError && error.code === 'log/missing') return undefined;
    throw error;
  }
}

/** Maximum size of the summary in `subagent.ended`. The summary is taken from the subagent's last text. */
const SUMMARY = { bytes: 1_000, lines: 20 };

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

/**
 * Returns the output of the call that started the subagent: a text for the model, and the fact `subagent.ended`. If the
 * subagent did not complete its task, the output is marked as failed.
 */
export function outputOf(child: SessionId, ending: SubagentEnding): ToolOutput {
  const { outcome, text, error, totals } = ending;
  const why = error === undefined ? '' : `: ${error.message}`;
  const cost = totals.cost === undefined ? 'cost unknown' : `$${totals.cost}`;
  const head = `Subagent ${child} ${HOW[outcome]}${why} (${formatCount(totals.steps, 'answer')}, ${formatCount(totals.calls, 'call')}, ${cost}).`;
  const words =
    text.trim() === '' ? 'It returned no text.' : outcome === 'completed' ? text : `Its last message: ${text}`;
  const facts = [{ kind: 'subagent.ended', data: endedAs(child, ending) } as const];
  return { text: `${head}\n\n${words}`, facts, ...(outcome !== 'completed' && { failed: true }) };
}

function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

// Before the next turn begins, ends subagents that a crash left open. No session then waits for a subagent that no
// longer runs, and no subagent becomes an orphan (L8). The usage before the crash counts.

interface Settling {
  readonly log: Log;
  readonly secrets: Secrets;
  readonly surroundings: Surroundings;
  /**
   * Called with a notice about a subagent whose log is damaged or open in another place. The subagent is left open. The
   * function tries to end it again before the next turn.
   */
  tell(notice: Notice): void;
}

/**
 * Ends the open subagents that no call will continue. With `resumesCalls`, the next turn continues the open calls, so
 * only subagents whose call is closed are ended. Without it, all subagents are ended.
 */
export async function settleSubagents(session: Session, settling: Settling, resumesCalls: boolean): Promise<void> {
  const open = new Set<string>(resumesCalls ? openCalls(session.state) : []);
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
    settling.tell({ code: 'subagent/left-open', message, next: 'Tidemark tries again before the next turn.' });
    return undefined;
  }
}

/**
 * Returns the end of a subagent. If its turn is open, its own subagents are ended first. The turn is then ended as
 * interrupted.
 */
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
