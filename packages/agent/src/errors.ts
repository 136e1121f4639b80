// Errors of the runtime. The sort of an error determines the next action of the caller.

import type { ErrorData, ErrorSort } from '@tidemark/core';
import { CodedError } from '@tidemark/core';

/**
 * Sorts of agent errors. `refused`: inform the user. `conflict`: read the session again and decide again. `bug`: a law
 * is broken.
 */
export type AgentErrorSort = Extract<ErrorSort, 'refused' | 'conflict' | 'bug'>;

/** All error codes with their sorts. A test fails if this list changes. */
export const AGENT_ERRORS: Readonly<Record<AgentErrorCode, AgentErrorSort>> = {
  'agent/unknown-kind': 'refused',
  'agent/unclosed-history': 'bug',
  'agent/nothing-to-send': 'refused',
  'agent/conflict': 'conflict',
  'agent/missing-material': 'refused',
  'agent/no-epoch': 'bug',
  'agent/other-provider': 'refused',
  'agent/no-such-step': 'refused',
  'agent/no-such-record': 'refused',
  'agent/not-closed': 'refused',
  'agent/unknown-encoder': 'refused',
  'agent/nothing-to-resume': 'refused',
  'agent/not-running': 'refused',
  'agent/closed': 'refused',
  'agent/unknown-price': 'refused',
  'agent/unknown-parameter': 'refused',
  'agent/unknown-model': 'refused',
  'agent/unknown-source': 'refused',
  'agent/limited': 'refused',
  'agent/not-cached': 'refused',
  'agent/stopped': 'refused',
  'agent/broken': 'bug',
  'agent/call-ended': 'refused',
  'agent/unknown-skill': 'refused',
  'agent/unknown-agent': 'refused',
  'agent/unfit-image': 'refused',
  'agent/hook-denied': 'refused',
  'agent/no-schema': 'refused',
  'agent/bad-argument': 'refused',
};

export type AgentErrorCode =
  | 'agent/unknown-kind'
  | 'agent/unclosed-history'
  | 'agent/nothing-to-send'
  | 'agent/conflict'
  | 'agent/missing-material'
  | 'agent/no-epoch'
  | 'agent/other-provider'
  | 'agent/no-such-step'
  | 'agent/no-such-record'
  | 'agent/not-closed'
  | 'agent/unknown-encoder'
  | 'agent/nothing-to-resume'
  | 'agent/not-running'
  | 'agent/closed'
  | 'agent/unknown-price'
  | 'agent/unknown-parameter'
  | 'agent/unknown-model'
  | 'agent/unknown-source'
  | 'agent/limited'
  | 'agent/not-cached'
  | 'agent/stopped'
  | 'agent/broken'
  | 'agent/call-ended'
  | 'agent/unknown-skill'
  | 'agent/unknown-agent'
  | 'agent/unfit-image'
  | 'agent/hook-denied'
  | 'agent/no-schema'
  | 'agent/bad-argument';

/** Error of the runtime. The message states what happened, what it happened to, and what to do next. */
export class AgentError extends CodedError<AgentErrorCode, ErrorData> {
  override readonly name = 'AgentError';

  constructor(code: AgentErrorCode, message: string, data: ErrorData = {}, cause?: unknown) {
    super(code, message, data, cause);
  }

  /** Sort of the error. It determines the next action of the caller. */
  get sort(): AgentErrorSort {
    return AGENT_ERRORS[this.code];
  }
}

/** Returns the message of an error without its stack, for the model and for people. Never empty. */
export function messageOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.message === '' ? cause.name : cause.message;
}
