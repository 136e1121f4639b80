// The subagents that work for an open session, in this process: their sessions, what they were promised, and who waits.

import type { CallId, SessionId, StartedBy } from '@tidemark/log';
import type { Mutex, Semaphore } from '../concurrency.ts';
import { createMutex, createSemaphore } from '../concurrency.ts';
import { narrower } from '../permissions/judge.ts';
import type { AgentSession } from '../ports/live-session.ts';
import type { Mode } from '../ports/permissions.ts';
import type { Runtime, SubagentLimits, TurnLimits } from '../ports/runtime.ts';
import { SUBAGENT_LIMITS } from '../ports/runtime.ts';

/** The session of a subagent, to be begun or opened. */
export interface ChildSession {
  readonly id: SessionId;
  readonly create: boolean;
  readonly root: SessionId;
  readonly startedBy: StartedBy;
  readonly workspace: string;
  /** What lists call it. */
  readonly title: string;
  readonly runtime: Runtime;
  readonly mode: Mode;
}

/** The subagents of an open session in this process. */
export interface Children {
  /** Opens the session of one. */
  readonly open: (child: ChildSession) => Promise<AgentSession>;
  readonly slots: Semaphore;
  /** What those that were started here may take, until the log says that they ended. */
  readonly promised: Map<CallId, TurnLimits>;
  readonly live: Set<AgentSession>;
  /** Ends of those that work here. */
  readonly work: Set<Promise<unknown>>;
  /** One question to a person at a time. */
  readonly questions: Mutex;
}

/** Nobody yet. */
export function createChildren(open: Children['open'], limits: SubagentLimits = {}): Children {
  const { parallel = SUBAGENT_LIMITS.parallel } = limits;
  return {
    open,
    slots: createSemaphore(parallel),
    promised: new Map(),
    live: new Set(),
    work: new Set(),
    questions: createMutex(),
  };
}

/** Those that work may no more than this from now on. */
export async function narrowChildren({ live }: Children, mode: Mode): Promise<void> {
  await Promise.all([...live].map((child) => child.setMode(narrower(child.mode, mode))));
}

/** Ends once none of them works here: whoever told them to stop waits for it. */
export async function untilQuiet({ work }: Children): Promise<void> {
  while (work.size > 0) await Promise.allSettled(work);
}
