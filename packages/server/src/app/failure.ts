// Answers for errors: a status, and the same body as `--json` prints.

import { TidemarkError } from '@tidemark/core';
import type { RefusalAnswer, ServerRefusal } from '@tidemark/http-server';
import type { AgentErrorCode } from '@tidemark/agent';
import { AGENT_ERRORS } from '@tidemark/agent';
import type { LogErrorCode } from '@tidemark/log';
import { LOG_ERRORS } from '@tidemark/log';
import type { ErrorInWords } from '../errors.ts';
import { describeError, SERVER_ERRORS, ServerError } from '../errors.ts';

/** Body of an answer that refuses a request. */
export interface FailureBody {
  readonly ok: false;
  readonly error: ErrorInWords;
}

/** Status and body of an answer that refuses a request. */
export interface FailureAnswer {
  readonly status: 400 | 401 | 403 | 404 | 409 | 422 | 500 | 503 | 504;
  readonly body: FailureBody;
}

/** Returns the answer for an error. An unknown error is a bug: its text stays in the process. */
export function failureAnswer(error: unknown): FailureAnswer {
  const status = error instanceof ServerError ? SERVER_ERRORS[error.code] : undefined;
  const known = error instanceof TidemarkError ? statusOf(error.code) : 500;
  return { status: status ?? known, body: { ok: false, error: describeError(error) } };
}

/** Returns the answer for a request that the server refuses before the application gets it. */
export function refusalAnswer({ reason, status, message }: ServerRefusal): RefusalAnswer {
  const body: FailureBody = { ok: false, error: { code: `http/${reason}`, message, next: '' } };
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

function statusOf(code: string): FailureAnswer['status'] {
  const known = STATUSES.get(code);
  if (known !== undefined) return known;
  if (isLogCode(code)) return LOG_STATUSES[LOG_ERRORS[code]];
  if (isAgentCode(code)) return AGENT_STATUSES[AGENT_ERRORS[code]];
  return 422;
}

const LOG_STATUSES = { refused: 422, retryable: 409, corrupt: 500, bug: 500 } as const;
const AGENT_STATUSES = { refused: 422, conflict: 409, bug: 500 } as const;

/** Statuses that say more than the sort of the error. */
const STATUSES: ReadonlyMap<string, FailureAnswer['status']> = new Map([
  ['log/missing', 404],
  ['log/write-failed', 503],
  ['log/flush-failed', 503],
  ['log/latched', 503],
  ['analytics/busy', 503],
  ['analytics/full', 503],
  ['artifact/missing', 404],
  ['artifact/read-failed', 503],
  ['artifact/unreachable', 503],
  ['agent/no-such-record', 404],
  ['agent/no-such-step', 404],
  ['agent/not-running', 409],
  ['agent/nothing-to-resume', 409],
  ['agent/not-closed', 409],
  ['agent/closed', 503],
  ['kit/bad-id', 404],
]);

function isLogCode(code: string): code is LogErrorCode {
  return Object.hasOwn(LOG_ERRORS, code);
}

function isAgentCode(code: string): code is AgentErrorCode {
  return Object.hasOwn(AGENT_ERRORS, code);
}
