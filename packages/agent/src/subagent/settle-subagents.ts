// Subagents that a crash left behind, ended before the next turn begins: no session waits for ever for somebody who is gone,
// and none is an orphan (L8). What it took until then counts.

import type { Log, SessionId } from '@tidemark/log';
import { LogError } from '@tidemark/log';
import type { Secrets } from '../commit/secrets.ts';
import { openCalls } from '../decide/open-calls.ts';
import { recover } from '../decide/recover.ts';
import { AgentError } from '../errors.ts';
import type { Session } from '../session/session.ts';
import { commit, openSession } from '../session/session.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Notice } from '../turn/session-event.ts';
import type { SubagentEnding } from './ending.ts';
import { endedAs, endingOf, foldOf, NEVER_BEGAN } from './ending.ts';

/** What is settled with. */
export interface Settling {
  readonly log: Log;
  readonly secrets: Secrets;
  readonly surroundings: Surroundings;
  /** Told of one that is open elsewhere, or damaged: it is left, and tried again before the turn after. */
  tell(notice: Notice): void;
}

/** Ends those of a session that nobody takes up again: all of them, or with `goesOn` those whose call is closed. */
export async function settleSubagents(session: Session, settling: Settling, goesOn: boolean): Promise<void> {
  const open = new Set<string>(goesOn ? openCalls(session.state) : []);
  const left = [...session.progress.subagents.values()].filter(({ call }) => call === undefined || !open.has(call));
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
  if (fold.state.turn === undefined && fold.progress.subagents.size === 0) return endingOf(fold) ?? NEVER_BEGAN;
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
