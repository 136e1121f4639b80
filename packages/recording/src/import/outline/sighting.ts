// What the first pass over a file needs to know of one record: where it hangs in the tree and whether it moves history on.

import type { Timestamp } from '@tidemark/log';

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
