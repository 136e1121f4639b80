// State of the first pass: the branches found so far, and a small index of the records.

import type { Timestamp } from '@tidemark/log';
import { hashText } from '../file/fields.ts';
import type { Branch, SpawnedThread } from './outline.ts';

/** Branch to which the first pass still adds records. */
export interface BranchDraft {
  readonly index: number;
  readonly kind: Branch['kind'];
  readonly agent: string | undefined;
  readonly leaves: Branch['leaves'];
  readonly startedBy: number | undefined;
  readonly voice: Voice;
  readonly first: number;
  last: number;
  at: Timestamp | undefined;
  title: string | undefined;
  call: string | undefined;
  /** Number of times that the history of the branch advanced. */
  generation: number;
  /** Ordinals of the records that advanced the history. `began[n]` is the record that advanced it from generation n. */
  readonly began: number[];
  /** Id of the answer whose rows are being read. */
  answer: string | undefined;
}

/**
 * Branches of one speaker: the main conversation, or a subagent. `root` is the first branch and `current` the latest.
 */
export interface Voice {
  root: BranchDraft | undefined;
  current: BranchDraft | undefined;
}

/**
 * Place in the history of a branch. `generation` is the number of times that the history had advanced at this place.
 */
export interface BranchPlace {
  readonly branch: BranchDraft;
  readonly generation: number;
}

/** Facts about the whole file, collected from single records. */
export interface FileFacts {
  at?: Timestamp;
  workspace?: string;
  title?: string;
  opening?: string;
  session?: string;
  spawned?: SpawnedThread;
}

/** Outline of the file as built so far. */
export interface Drawing {
  readonly branches: BranchDraft[];
  readonly main: Voice;
  readonly sides: Map<string, Voice>;
  lastSide: Voice | undefined;
  /**
   * True if the main conversation has any records that advance it. False for a file that contains only subagent
   * records.
   */
  mainSpeaks: boolean;
  /**
   * Row number of each record that has an id, by hash of the id. The row number is the index into the lists that start
   * with `row`.
   */
  readonly rows: Map<number, number>;
  readonly rowBranch: GrowingNumbers;
  readonly rowGeneration: GrowingNumbers;
  readonly rowOrdinal: GrowingNumbers;
  /** Branch index of each record, by ordinal. */
  readonly routes: GrowingNumbers;
  /** Ordinals of the records that are copies of earlier records. */
  readonly repeated: Set<number>;
  readonly answerEnds: Map<number, number>;
  readonly resultEnds: Map<number, number>;
  readonly kept: Map<number, number>;
  /** Hashes of the digests to which recorded requests refer. */
  readonly wanted: Set<number>;
  readonly facts: FileFacts;
}

/** Returns the state of a first pass that has read no record. */
export function emptyDrawing(): Drawing {
  return {
    branches: [],
    main: { root: undefined, current: undefined },
    sides: new Map(),
    lastSide: undefined,
    mainSpeaks: false,
    rows: new Map(),
    rowBranch: growingNumbers(),
    rowGeneration: growingNumbers(),
    rowOrdinal: growingNumbers(),
    routes: growingNumbers(),
    repeated: new Set(),
    answerEnds: new Map(),
    resultEnds: new Map(),
    kept: new Map(),
    wanted: new Set(),
    facts: {},
  };
}

/** Opens a new branch of a speaker and makes it the current branch of this speaker. */
export function openBranch(
  drawing: Drawing,
  voice: Voice,
  what: Pick<Branch, 'kind' | 'agent' | 'leaves'>,
): BranchDraft {
  const branch: BranchDraft = {
    index: drawing.branches.length,
    kind: what.kind,
    agent: what.agent,
    leaves: what.leaves,
    startedBy: what.kind === 'agent' ? drawing.main.current?.index : undefined,
    voice,
    first: drawing.routes.length,
    last: drawing.routes.length,
    at: undefined,
    title: undefined,
    call: undefined,
    generation: 0,
    began: [],
    answer: undefined,
  };
  drawing.branches.push(branch);
  voice.root ??= branch;
  voice.current = branch;
  return branch;
}

/** Returns the row number of a record by its id, or `undefined` if the id was not seen. */
export function rowOf(drawing: Drawing, id: string | null | undefined): number | undefined {
  return id === undefined || id === null ? undefined : drawing.rows.get(hashText(id));
}

/** Returns the index key for the id of an answer or a call in one branch. */
export function branchKey(branch: number, name: string): number {
  return hashText(`${branch} ${name}`);
}

/** Growing list of 32-bit integers, four bytes each. The list stores one value for each record of a large file. */
export interface GrowingNumbers {
  readonly length: number;
  push(value: number): void;
  /**
   * Returns the value at an index.
   *
   * @throws RangeError if the index is negative or not below `length`.
   */
  get(index: number): number;
  set(index: number, value: number): void;
}

function growingNumbers(): GrowingNumbers {
  let buffer = new Int32Array(1024);
  let length = 0;
  const check = (index: number): void => {
    if (index < 0 || index >= length) throw new RangeError(`there is no number at index ${index} of ${length}`);
  };
  return {
    get length() {
      return length;
    },
    push(value) {
      if (length === buffer.length) {
        const larger = new Int32Array(buffer.length * 2);
        larger.set(buffer);
        buffer = larger;
      }
      buffer[length] = value;
      length += 1;
    },
    get(index) {
      check(index);
      return buffer[index] ?? 0;
    },
    set(index, value) {
      check(index);
      buffer[index] = value;
    },
  };
}
