// What a corpus says of its logs.

import { readFileSync } from 'node:fs';

/** One session, as it was when the corpus was made. */
export interface ExpectedSession {
  readonly session: string;
  /** Records, ancestors included. */
  readonly records: number;
  /** SHA-256 of the body of each request. */
  readonly requests: readonly { readonly position: number; readonly digest: string }[];
  /** Causes of its breaks, in order. */
  readonly breaks: readonly string[];
  /** What the fold set aside. */
  readonly problems: readonly string[];
}

/** All sessions of a corpus. */
export interface Expected {
  readonly sessions: readonly ExpectedSession[];
}

/** Reads what a corpus expects. */
export function readExpected(path: string): Expected {
  const read: Expected = JSON.parse(readFileSync(path, 'utf8'));
  return read;
}
