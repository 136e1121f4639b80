// View of one session: its list entry, its progress, and what this server runs of it.

import { defined } from '@tidemark/core';
import { readFold } from '@tidemark/agent';
import type { Fold, Mode } from '@tidemark/agent';
import type { Log, Money, SessionId, SessionSummary, TurnEnded } from '@tidemark/log';
import { LogError } from '@tidemark/log';
import type { ChosenModel } from '../ports.ts';
import type { LiveSessions } from '../live/live-sessions.ts';
import type { ErrorInWords } from '../errors.ts';
import type { RemoteState } from '../live/remote-sessions.ts';
import type { WaitingQuestion } from '../live/questions.ts';
import type { QueuedPrompt } from '../live/session-memory.ts';
import { shownMemory } from '../live/session-memory.ts';

/** Part of a session that this server runs. */
export interface LiveFacts {
  /** True if this server, or a worker that runs its commands, has the session open. */
  readonly open: boolean;
  /** True if this server or the worker runs a turn of the session. */
  readonly running: boolean;
}

/** List entry of a session. `questions` is the number of questions that wait for an answer. */
export type SessionEntry = SessionSummary & LiveFacts & { readonly questions: number };

/** A session with its progress. */
export interface SessionDetails extends SessionSummary, LiveFacts {
  /** Number of records. */
  readonly length: number;
  readonly provider?: string;
  readonly model?: string;
  readonly mode?: Mode;
  /** Own agent of the session. */
  readonly agent?: string;
  /** The last turn. `open` is true if the log has no end of it: it runs, or it was cut off. */
  readonly turn?: { readonly id?: string; readonly open: boolean; readonly outcome?: TurnEnded['outcome'] };
  /**
   * True if something else has the session open: another process, or the session that started it as its subagent. Its
   * turn may run there.
   */
  readonly elsewhere: boolean;
  /** True if `resume` can continue the last turn here. */
  readonly resumable: boolean;
  /** Known cost in US dollars. For a fork, the cost of the records that it begins with is included. */
  readonly cost: Money;
  readonly questions: readonly WaitingQuestion[];
  /** Prompts that wait for the end of the turn. They are lost when the server ends. Absent if there are none. */
  readonly drafts?: readonly QueuedPrompt[];
  /** Error that ended the last turn, if the log has no end of the turn, for example because the disk was full. */
  readonly failure?: ErrorInWords;
}

/** Returns the list entry of a session with what this server runs of it. */
export function listEntry(summary: SessionSummary, states: ReadonlyMap<SessionId, RemoteState>): SessionEntry {
  const state = states.get(summary.session);
  return { ...summary, ...factsOf(state), questions: state?.questions.length ?? 0 };
}

/**
 * Reads a session and returns its view.
 *
 * @throws LogError as the store does.
 */
export async function readSessionDetails(log: Log, id: SessionId, live: LiveSessions): Promise<SessionDetails> {
  // The state is read first: a session that runs no turn then has the end of its last turn in the log.
  const state = (await live.states([id])).get(id);
  const { fold } = await readFold(log, id);
  const { summary, model } = await createdAs(log, id, fold.state.createdAt);
  return viewOf(summary, fold, { live, state, model, elsewhere: await live.isElsewhere(id) });
}

/** Facts that the log does not contain. */
interface PresentFacts {
  readonly live: LiveSessions;
  /** State of the session if this server or a worker has it open. */
  readonly state: RemoteState | undefined;
  readonly elsewhere: boolean;
  /** Model that was chosen when the session was created, if it was recorded. */
  readonly model: Partial<ChosenModel>;
}

function viewOf(
  summary: SessionSummary,
  { state, progress }: Fold,
  { live, state: present, elsewhere, model: first }: PresentFacts,
): SessionDetails {
  const { turn } = progress;
  const { createdAt = 0, epoch } = state;
  // A fork inherits the epoch of its parent, and its own model may be another one.
  const isOwn = epoch !== undefined && epoch.position > createdAt;
  const open = turn !== undefined && turn.ended === undefined;
  return {
    ...summary,
    ...factsOf(present),
    length: state.length,
    ...defined({ provider: epoch?.opened.provider, model: epoch?.opened.model }),
    ...(!isOwn && first),
    ...live.memory(summary.session)?.model,
    ...defined({ mode: progress.mode, agent: progress.agent?.name }),
    ...(turn !== undefined && { turn: { ...defined({ id: turn.id, outcome: turn.ended?.outcome }), open } }),
    elsewhere,
    resumable: turn !== undefined && turn.ended?.outcome !== 'completed' && present?.running !== true && !elsewhere,
    cost: progress.sessionCost,
    questions: present?.questions ?? [],
    ...shownMemory(live.memory(summary.session)),
    ...defined({ drafts: present?.drafts, failure: present?.failure }),
  };
}

function factsOf(state: RemoteState | undefined): LiveFacts {
  return { open: state !== undefined, running: state?.running ?? false };
}

/** Reads the record that created the session. In a fork it comes after the records of the parent. */
async function createdAs(
  log: Log,
  id: SessionId,
  createdAt: number | undefined,
): Promise<{ readonly summary: SessionSummary; readonly model: Partial<ChosenModel> }> {
  for await (const record of log.read(id, createdAt, (createdAt ?? 0) + 1)) {
    if (record.kind !== 'session.created') break;
    const { root, parent, startedBy, workspace, title, model, provider } = record.data;
    const named = defined({ parent, startedBy, workspace, title });
    return {
      summary: { session: id, root, ...named, createdAt: record.at },
      model: defined({ model, provider }),
    };
  }
  throw new LogError('log/missing', `session ${id} has no record that created it`, { session: id });
}
