// Result of the first pass for the second: the branch of each record, the places where branches fork, and where answers
// and results end. It needs about a dozen bytes per record, for records of any size.

import type { Timestamp } from '@tidemark/log';

/** Line of history that becomes a session of its own. */
export interface Branch {
  readonly index: number;
  readonly kind: 'main' | 'agent' | 'fork';
  /** Name of the subagent in the file. */
  readonly agent?: string;
  /** For a fork: the branch that it leaves, and the ordinal of the record of that branch before which it leaves. */
  readonly leaves?: { readonly branch: number; readonly before: number };
  /** For a subagent: the branch that was current when it started. */
  readonly startedBy?: number;
  /** Ordinals of the first and the last record. */
  readonly first: number;
  readonly last: number;
  /** Time of the first record that has one. */
  readonly at?: Timestamp;
}

/** Outline of the whole file. */
export interface Outline {
  readonly records: number;
  readonly lines: number;
  readonly branches: readonly Branch[];
  readonly main: number;
  /** Returns the branch of a record. */
  branchOf(ordinal: number): number;
  /** True if the record is a second copy of an earlier one. */
  isRepeated(ordinal: number): boolean;
  /** Returns the last record of an answer that consists of several records. */
  answerEnd(branch: number, answer: string): number | undefined;
  /** True if a result of this call comes after this record. */
  isResultAhead(branch: number, call: string, ordinal: number): boolean;
  /** Returns the forks that leave just before this record is read. */
  forksBefore(ordinal: number): readonly number[];
  /** Returns the record from which the compaction at this ordinal keeps history. */
  keptFrom(ordinal: number): number | undefined;
  /** True if a compaction keeps history from this record on. */
  isAnchor(ordinal: number): boolean;
  readonly at?: Timestamp;
  readonly workspace?: string;
  readonly title?: string;
  readonly session?: string;
}

/**
 * Effect of a record on its branch.
 * - `begins`: continues from its parent. If the branch has already advanced beyond the parent, it is a rewind and opens
 *   a fork.
 * - `advances`: advances the branch and is never a rewind.
 * - `answers`: one of several rows of one answer. The first row advances the branch.
 * - `belongs`: has the place of its parent. For example, results of parallel calls belong to the row of their call.
 * - `floats`: has the current place of the branch, regardless of its parent.
 */
export type BranchStep = 'begins' | 'advances' | 'answers' | 'belongs' | 'floats';

/** Facts about one record for the first pass. */
export interface Sighting {
  readonly step: BranchStep;
  readonly id?: string;
  /** Id of the parent record. `null` if there is no parent, absent if the format or the record does not state it. */
  readonly parent?: string | null;
  /** Subagent to which the record belongs. */
  readonly agent?: string;
  /** True for a record of a subagent, even if it names no agent. */
  readonly side?: boolean;
  /** With `answers`: the id of the answer. */
  readonly answer?: string;
  /** Ids of the calls whose results the record contains. */
  readonly results?: readonly string[];
  /** Record from which a compaction keeps history, by id or by ordinal. */
  readonly keptFrom?: string | number;
  /** Id of the record that counts as the end of the branch after this record. */
  readonly relinked?: string;
  readonly at?: Timestamp;
  readonly workspace?: string;
  readonly title?: string;
  /** Name of the session in the file. */
  readonly session?: string;
  /** First line of a prompt. It becomes the title if the file has no other. */
  readonly opening?: string;
}
