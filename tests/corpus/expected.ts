// Expected content of the logs in a corpus, which is the set of logs that one release wrote.

import { readFileSync } from 'node:fs';

/** Expected content of one session, recorded when the corpus was created. */
export interface ExpectedSession {
  readonly session: string;
  /** Number of records, including those that a fork inherits from its ancestors. */
  readonly records: number;
  /** Position and SHA-256 digest of each request body, in the order of the log. */
  readonly requests: readonly { readonly position: number; readonly digest: string }[];
  /** Causes of the session's cache breaks, in the order of the log. */
  readonly breaks: readonly string[];
  /** Problems that folding the log reported. */
  readonly problems: readonly string[];
}

/** Content of an `expected.json`: all sessions of a corpus. */
export interface Expected {
  readonly sessions: readonly ExpectedSession[];
}

/** Reads the `expected.json` of a corpus. */
export function readExpected(path: string): Expected {
  const read: Expected = JSON.parse(readFileSync(path, 'utf8'));
  return read;
}
