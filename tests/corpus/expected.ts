// Expected content of a corpus.

import { readFileSync } from 'node:fs';

/** One session, as it was when the corpus was made. */
export interface ExpectedSession {
  readonly session: string;
  /** Number of records, including those of its ancestors. */
  readonly records: number;
  /** Position and SHA-256 digest of each request body. */
  readonly requests: readonly { readonly position: number; readonly digest: string }[];
  /** Causes of its breaks, in order. */
  readonly breaks: readonly string[];
  /** Problems that the fold reported. */
  readonly problems: readonly string[];
}

/** All sessions of a corpus. */
export interface Expected {
  readonly sessions: readonly ExpectedSession[];
}

/** Reads the `expected.json` of a corpus. */
export function readExpected(path: string): Expected {
  const read: Expected = JSON.parse(readFileSync(path, 'utf8'));
  return read;
}
