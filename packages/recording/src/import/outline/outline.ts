// Outline of a transcript, which the first pass builds for the second pass: the branch of each record, the places where
// branches fork, and the places where answers and results end. An outline needs about a dozen bytes per record,
// regardless of the size of the record.

import type { Timestamp } from '@tidemark/log';

/** Part of a transcript that becomes a separate session: the main conversation, a subagent or a fork. */
export interface Branch {
  readonly index: number;
  readonly kind: 'main' | 'agent' | 'fork';
  /** Name of the subagent in the file. */
  readonly agent?: string;
  /** Title of the subagent. */
  readonly title?: string;
  /** Call of the session in `startedBy` that started the subagent. */
  readonly call?: string;
  /**
   * For a fork, the branch that the fork leaves, and the ordinal of a record of that branch. The fork starts before
   * this record.
   */
  readonly leaves?: { readonly branch: number; readonly before: number };
  /** For a subagent, the branch of the main conversation that was current when the subagent started. */
  readonly startedBy?: number;
  /** Ordinals of the first and the last record of the branch. */
  readonly first: number;
  readonly last: number;
  /** Time of the first record of the branch that has a time. */
  readonly at?: Timestamp;
}

/** Thread of a subagent that has a file of its own, as the file states it. */
export interface SpawnedThread {
  readonly own: string;
  readonly parent: string;
  /** Nesting depth: 1 if the main session started the subagent. */
  readonly depth: number;
}

/** Outline of a whole transcript: its branches, and facts about its records. */
export interface Outline {
  readonly records: number;
  readonly lines: number;
  readonly branches: readonly Branch[];
  readonly main: number;
  /** Returns the index of the branch to which a record belongs. */
  branchOf(ordinal: number): number;
  /** True if the record is a copy of an earlier record. */
  isRepeated(ordinal: number): boolean;
  /**
   * Returns the ordinal of the last record of an answer, or `undefined` if the branch has no such answer. An answer can
   * consist of several records.
   */
  answerEnd(branch: number, answer: string): number | undefined;
  /** True if a result of this call comes after this record. */
  isResultAhead(branch: number, call: string, ordinal: number): boolean;
  /** Returns the branch indexes of the forks that start directly before this record. */
  forksBefore(ordinal: number): readonly number[];
  /**
   * Returns the ordinal of the first record that a compaction keeps. `ordinal` is the record that names the kept
   * history. Returns `undefined` for any other record.
   */
  keptFrom(ordinal: number): number | undefined;
  /** True if a compaction keeps history from this record on. */
  isAnchor(ordinal: number): boolean;
  /** True if a recorded request refers to a content with this digest. */
  isWanted(digest: string): boolean;
  /** True if the file contains recorded requests. */
  readonly hasRequests: boolean;
  readonly at?: Timestamp;
  readonly workspace?: string;
  readonly title?: string;
  readonly session?: string;
  readonly spawned?: SpawnedThread;
}

/**
 * Effect of a record on its branch.
 * - `begins`: the record continues from its parent. If the branch has already advanced beyond the parent, the record is
 *   a rewind and opens a fork.
 * - `advances`: the record advances the branch and is never a rewind.
 * - `answers`: the record is one of several rows of one answer. The first row advances the branch.
 * - `belongs`: the record has the place of its parent. For example, results of parallel calls belong to the row of
 *   their call.
 * - `floats`: the record has the current place of the branch, regardless of its parent.
 */
export type BranchStep = 'begins' | 'advances' | 'answers' | 'belongs' | 'floats';

/** Facts about one record that the first pass needs. */
export interface Sighting {
  readonly step: BranchStep;
  readonly id?: string;
  /**
   * Id of the parent record. `null` if there is no parent. Absent if the format or the record does not state the
   * parent.
   */
  readonly parent?: string | null;
  /** Name of the subagent to which the record belongs. */
  readonly agent?: string;
  /** True for a record of a subagent, even if it names no agent. */
  readonly side?: boolean;
  /** Id of the answer, if `step` is `answers`. */
  readonly answer?: string;
  /** Ids of the calls whose results the record contains. */
  readonly results?: readonly string[];
  /** First record that a compaction keeps, by id or by ordinal. */
  readonly keptFrom?: string | number;
  /**
   * Id of the last record that a compaction keeps. After the compaction, a record whose parent is this record continues
   * the branch and is not a rewind.
   */
  readonly relinked?: string;
  /** Digests of the contents to which a recorded request refers. */
  readonly wants?: readonly string[];
  readonly at?: Timestamp;
  readonly workspace?: string;
  /** Title of the session. In a record of a subagent, the title of the subagent. */
  readonly title?: string;
  /** Call of the main conversation that started the subagent, in a record of the subagent. */
  readonly startingCall?: string;
  /** Name that the file gives to the session. */
  readonly session?: string;
  readonly spawned?: SpawnedThread;
  /** First line of a prompt. It becomes the title of the session if the file has no title. */
  readonly opening?: string;
}
