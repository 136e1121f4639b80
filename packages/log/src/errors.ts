// Errors of a log. Each error code has a sort, which decides the next action of the caller.

import type { ErrorData, ErrorSort } from '@tidemark/core';
import { CodedError } from '@tidemark/core';

/**
 * Sort of an error, which decides the next action of the caller. `refused`: report the error to the user. `retryable`:
 * try again later. `corrupt`: stop and change nothing. `bug`: the code broke a law of this project, so the code must be
 * fixed.
 */
export type LogErrorSort = Extract<ErrorSort, 'refused' | 'retryable' | 'corrupt' | 'bug'>;

/** Codes of `LogError`. `LOG_ERRORS` contains the sort of each code. */
export type LogErrorCode =
  | 'log/missing'
  | 'log/exists'
  | 'log/locked'
  | 'log/unsupported-filesystem'
  | 'log/parent-missing'
  | 'log/parent-diverged'
  | 'log/first-record'
  | 'log/latched'
  | 'log/closed'
  | 'log/moved'
  | 'log/write-failed'
  | 'log/flush-failed'
  | 'log/damaged'
  | 'log/not-a-file'
  | 'log/unknown-revision'
  | 'log/unreachable'
  | 'log/invalid-event'
  | 'artifact/missing'
  | 'artifact/damaged'
  | 'artifact/write-failed'
  | 'artifact/read-failed'
  | 'artifact/unreachable';

/**
 * All codes that a log or store throws, each with its sort. A test compares them with literal values, because scripts
 * and people rely on them.
 */
export const LOG_ERRORS: Readonly<Record<LogErrorCode, LogErrorSort>> = {
  'log/missing': 'refused',
  'log/exists': 'refused',
  'log/locked': 'retryable',
  'log/unsupported-filesystem': 'refused',
  'log/parent-missing': 'refused',
  'log/parent-diverged': 'refused',
  'log/first-record': 'bug',
  'log/latched': 'refused',
  'log/closed': 'bug',
  'log/moved': 'corrupt',
  'log/write-failed': 'refused',
  'log/flush-failed': 'refused',
  'log/damaged': 'corrupt',
  'log/not-a-file': 'corrupt',
  'log/unknown-revision': 'refused',
  'log/unreachable': 'retryable',
  'log/invalid-event': 'bug',
  'artifact/missing': 'refused',
  'artifact/damaged': 'corrupt',
  'artifact/write-failed': 'refused',
  'artifact/read-failed': 'refused',
  'artifact/unreachable': 'retryable',
};

/** Location of damage in a log. */
export interface DamagePlace {
  readonly path: string;
  /** 1-based line number. */
  readonly line: number;
  /** Offset of the line's first byte in the file. */
  readonly offset: number;
  /**
   * Check that failed. `frame`: the layout of the line. `checksum`: the checksum of the line. `parse`: the JSON.
   * `decode`: the fields and the payload. `sequence`: the position or the fence. `chain`: the running digest. `parent`:
   * the record from which the session was forked.
   */
  readonly phase: 'frame' | 'checksum' | 'parse' | 'decode' | 'sequence' | 'chain' | 'parent';
}

/** Error of a log or store. The message contains the problem, the affected object and the next step. */
export class LogError extends CodedError<LogErrorCode, ErrorData> {
  override readonly name = 'LogError';

  constructor(code: LogErrorCode, message: string, data: ErrorData = {}, cause?: unknown) {
    super(code, message, data, cause);
  }

  /** Sort of the error, which shows what to do next. */
  get sort(): LogErrorSort {
    return LOG_ERRORS[this.code];
  }
}
