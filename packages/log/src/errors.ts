// What can go wrong with a log, sorted by what to do next.

import type { ErrorData, ErrorSort } from '@tidemark/core';
import { CodedError } from '@tidemark/core';

/** `refused`: tell the user. `retryable`: later. `corrupt`: stop, touch nothing. `bug`: a law broke. */
export type LogErrorSort = Extract<ErrorSort, 'refused' | 'retryable' | 'corrupt' | 'bug'>;

/** The name of a log error. */
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
  | 'log/invalid-event'
  | 'artifact/missing'
  | 'artifact/damaged'
  | 'artifact/write-failed';

/** Every code a log or store throws, with its sort. Pinned by a test: scripts and people rely on them. */
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
  'log/invalid-event': 'bug',
  'artifact/missing': 'refused',
  'artifact/damaged': 'corrupt',
  'artifact/write-failed': 'refused',
};

/** Where in a log a damage was found. */
export interface DamagePlace {
  readonly path: string;
  /** 1-based line. */
  readonly line: number;
  /** Offset of the line's first byte in the file. */
  readonly offset: number;
  /** Which check failed. */
  readonly phase: 'frame' | 'checksum' | 'parse' | 'decode' | 'sequence' | 'chain' | 'parent';
}

/** An error of a log or store. The message says what happened, to what, and the next step. */
export class LogError extends CodedError<LogErrorCode, ErrorData> {
  override readonly name = 'LogError';

  constructor(code: LogErrorCode, message: string, data: ErrorData = {}, cause?: unknown) {
    super(code, message, data, cause);
  }

  /** What to do next. */
  get sort(): LogErrorSort {
    return LOG_ERRORS[this.code];
  }
}
