// Reads the calls of one transcript without importing it. The events of the import are made, followed and dropped, so
// the same reader serves `import`, `cost` and the audit.

import { defined } from '@tidemark/core';
import type { Following, ModelCall, RowOf } from '@tidemark/context';
import { beginFollowing, endFollowing, followRecord } from '@tidemark/context';
import type { SessionId } from '@tidemark/log';
import type {
  BilledCalls,
  EventsStep,
  ImportOutcome,
  ImportStep,
  SessionStep,
  TranscriptFile,
} from '@tidemark/recording';
import { importTranscript } from '@tidemark/recording';

/** Session of a transcript. */
export interface ReadSession {
  readonly session: SessionId;
  /** Session that this one was forked from, or that started it as a subagent. */
  readonly parent?: SessionId;
  /** Folder in which the agent worked. */
  readonly workspace: string;
  readonly title?: string;
}

/** Sessions and calls of a transcript. */
export interface ReadTranscript {
  readonly format: string;
  readonly sessions: readonly ReadSession[];
  readonly calls: readonly ModelCall[];
  /** Number of lines that could not be read. */
  readonly skipped: number;
}

/** State of one session, with the state after each of its records, from which forks begin. */
interface Followed {
  /** Position of the session's first own record. */
  readonly first: number;
  readonly states: Following[];
}

/** Options of a reading. */
export interface ReadOptions {
  readonly rowOf: RowOf;
  /** Ends the reading early. The result is then incomplete. */
  readonly signal?: AbortSignal;
}

/**
 * Reads all calls of a transcript. A call in `billed` is counted there, and here only by the usage that exceeds it. New
 * calls are added to `billed`.
 *
 * @throws ImportError if the file is no transcript or becomes shorter while it is read.
 */
export async function readCalls(
  file: TranscriptFile,
  billed: BilledCalls,
  { rowOf, signal }: ReadOptions,
): Promise<ReadTranscript> {
  const sessions: ReadSession[] = [];
  const calls: ModelCall[] = [];
  const followed = new Map<SessionId, Followed>();
  let outcome: ImportOutcome | undefined;
  const steps = async function* (): AsyncGenerator<ImportStep> {
    outcome = yield* importTranscript(file.open, {
      source: file.source,
      billed,
      ...defined({ subagent: file.subagent }),
    });
  };
  for await (const step of steps()) {
    if (signal?.aborted === true) break;
    if (step.type === 'session') {
      sessions.push(describe(step));
      followed.set(step.session, begin(step, followed));
    } else if (step.type === 'events') calls.push(...follow(step, followed, rowOf));
    else calls.push(...endFollowing(latest(followed, step.session), rowOf));
  }
  return { format: outcome?.format ?? '', sessions, calls, skipped: outcome?.skipped.length ?? 0 };
}

function describe({ session, parent, created }: SessionStep): ReadSession {
  const { workspace, title, startedBy } = created;
  return defined({ session, workspace, title, parent: parent?.session ?? startedBy?.session });
}

/** Begins a session. A fork continues from the state of its parent at the fork point. */
function begin({ session, parent }: SessionStep, followed: Map<SessionId, Followed>): Followed {
  const fresh = beginFollowing(session);
  if (parent === undefined) return { first: 0, states: [fresh] };
  const { first, states } = followed.get(parent.session) ?? { first: 0, states: [] };
  const before = states[parent.position - first] ?? fresh;
  return { first: parent.position + 1, states: [{ ...before, session, owner: session, unread: fresh.unread }] };
}

function follow(
  { session, events }: EventsStep,
  followed: Map<SessionId, Followed>,
  rowOf: RowOf,
): readonly ModelCall[] {
  const { states } = followed.get(session) ?? { states: [beginFollowing(session)] };
  const calls: ModelCall[] = [];
  for (const event of events) {
    const next = followRecord(states.at(-1) ?? beginFollowing(session), event, rowOf);
    states.push(next.following);
    calls.push(...next.calls);
  }
  return calls;
}

function latest(followed: Map<SessionId, Followed>, session: SessionId): Following {
  return followed.get(session)?.states.at(-1) ?? beginFollowing(session);
}
