// Subagents that work for an open session in this process: their sessions, their limits, and the slots for which calls
// wait.

import type { CallId, SessionId, StartedBy } from '@tidemark/log';
import type { Mutex, Semaphore } from '../concurrency.ts';
import { createMutex, createSemaphore } from '../concurrency.ts';
import { narrower } from '../permissions/judge.ts';
import type { AgentSession } from '../ports/live-session.ts';
import type { Mode } from '../ports/permissions.ts';
import type { Runtime, SubagentLimits, TurnLimits } from '../ports/runtime.ts';
import { SUBAGENT_LIMITS } from '../ports/runtime.ts';

/** Session of a subagent that is being created or opened. */
export interface ChildSession {
  readonly id: SessionId;
  readonly create: boolean;
  readonly root: SessionId;
  readonly startedBy: StartedBy;
  readonly workspace: string;
  readonly title: string;
  readonly runtime: Runtime;
  readonly mode: Mode;
}

export interface Children {
  /** Creates or opens the session of a subagent. */
  readonly open: (child: ChildSession) => Promise<AgentSession>;
  readonly slots: Semaphore;
  /**
   * Limits of the subagents that were started in this process. An entry is kept until the log records the end of the
   * subagent.
   */
  readonly promised: Map<CallId, TurnLimits>;
  readonly live: Set<AgentSession>;
  /** Promises of the subagents that work in this process. Each settles when its work ends. */
  readonly work: Set<Promise<unknown>>;
  /** Allows only one question to the user at a time. */
  readonly questions: Mutex;
}

/** Creates the state for the subagents of a session, with `limits.parallel` slots and no subagents yet. */
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

/** Makes the mode of all running subagents at least as narrow as this mode. */
export async function narrowChildren({ live }: Children, mode: Mode): Promise<void> {
  await Promise.all([...live].map((child) => child.setMode(narrower(child.mode, mode))));
}

/**
 * Resolves when no subagent works in this process any more. A caller that stopped the subagents waits for them with
 * this function.
 */
export async function untilQuiet({ work }: Children): Promise<void> {
  while (work.size > 0) await Promise.allSettled(work);
}
