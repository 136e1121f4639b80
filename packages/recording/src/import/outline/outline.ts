// What the first pass leaves for the second: to which branch each record belongs, where branches leave each other, and
// what lies ahead. About a dozen bytes a record, whatever the records hold.

import type { Timestamp } from '@tidemark/log';

/** A line of history that becomes a session of its own. */
export interface Branch {
  readonly index: number;
  readonly kind: 'main' | 'agent' | 'fork';
  /** The subagent, as the file names it. */
  readonly agent?: string;
  /** For a fork: the branch it leaves, just before this record of that branch is taken in. */
  readonly leaves?: { readonly branch: number; readonly before: number };
  /** For a subagent: the branch that was current when it began. */
  readonly startedBy?: number;
  /** Ordinals of its first and last record. */
  readonly first: number;
  readonly last: number;
  /** Of its first record that tells. */
  readonly at?: Timestamp;
}

/** The whole file in outline. */
export interface Outline {
  readonly records: number;
  readonly lines: number;
  readonly branches: readonly Branch[];
  readonly main: number;
  /** The branch of a record. */
  branchOf(ordinal: number): number;
  /** Whether the record is a second copy of one seen before. */
  isRepeated(ordinal: number): boolean;
  /** The last record of an answer that is spread over several. */
  answerEnd(branch: number, answer: string): number | undefined;
  /** Whether a result of this call comes behind this record. */
  isResultAhead(branch: number, call: string, ordinal: number): boolean;
  /** Forks that leave just before this record is taken in. */
  forksBefore(ordinal: number): readonly number[];
  /** The record from which the compaction at this ordinal keeps history. */
  keptFrom(ordinal: number): number | undefined;
  /** Whether some compaction keeps history from this record on. */
  isAnchor(ordinal: number): boolean;
  readonly at?: Timestamp;
  readonly workspace?: string;
  readonly title?: string;
  readonly session?: string;
}
