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

/**
 * How a record moves the branch that it stands on.
 * - `begins`: goes on from its parent; behind an earlier record it is a rewind, and so a fork.
 * - `advances`: goes on, and is never a rewind.
 * - `answers`: one of several rows of one answer; the first of them advances.
 * - `belongs`: stands where its parent stands (results of parallel calls hang on the row of their call).
 * - `floats`: stands where the branch is now, wherever it hangs.
 */
export type BranchStep = 'begins' | 'advances' | 'answers' | 'belongs' | 'floats';

/** One record as the first pass sees it. */
export interface Sighting {
  readonly step: BranchStep;
  readonly id?: string;
  /** `null`: hangs on nothing; absent: the format or the record does not say. */
  readonly parent?: string | null;
  /** The subagent that the record belongs to. */
  readonly agent?: string;
  /** A subagent's record, also where no agent is named. */
  readonly side?: boolean;
  /** With `answers`: which answer. */
  readonly answer?: string;
  /** Calls whose results stand here. */
  readonly results?: readonly string[];
  /** A compaction keeps history from this record on: by id, or by ordinal. */
  readonly keptFrom?: string | number;
  /** After this record, that one counts as the end of the branch. */
  readonly relinked?: string;
  readonly at?: Timestamp;
  readonly workspace?: string;
  readonly title?: string;
  /** The file's own name for the session. */
  readonly session?: string;
  /** Begins of a prompt: the title where there is no other. */
  readonly opening?: string;
}
