// State of the first pass: the branches so far, and a small index of the records.

import type { Timestamp } from '@tidemark/log';
import { hashText } from '../file/fields.ts';
import type { Branch } from './outline.ts';

/** Branch that is still growing. */
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
  /**
   * Number of times the history of the branch advanced. Each record is stored with the generation at which it arrived.
   */
  generation: number;
  /** Ordinal of the record that advanced the history from each generation: `began[n]` advanced it from generation n. */
  readonly began: number[];
  /** Answer whose rows are being read. */
  answer: string | undefined;
}

/** Line of records of one speaker: the main conversation, or a subagent. */
export interface Voice {
  root: BranchDraft | undefined;
  current: BranchDraft | undefined;
}

/** Place in a branch. */
export interface BranchPlace {
  readonly branch: BranchDraft;
  readonly generation: number;
}

/** Facts about the whole file that its records state. */
export interface FileFacts {
  at?: Timestamp;
  workspace?: string;
  title?: string;
  opening?: string;
  session?: string;
}

/** Outline built so far. */
export interface Drawing {
  readonly branches: BranchDraft[];
  readonly main: Voice;
  readonly sides: Map<string, Voice>;
  lastSide: Voice | undefined;
  /** True if the main conversation has any records of its own. */
  mainSpeaks: boolean;
  /** Row number by hash of the record's id. Only records with an id have a row. */
  readonly rows: Map<number, number>;
  readonly rowBranch: GrowingNumbers;
  readonly rowGeneration: GrowingNumbers;
  readonly rowOrdinal: GrowingNumbers;
  /** Branch index by ordinal. */
  readonly routes: GrowingNumbers;
  /** Ordinals of the records that are second copies. */
  readonly repeated: Set<number>;
  readonly answerEnds: Map<number, number>;
  readonly resultEnds: Map<number, number>;
  readonly kept: Map<number, number>;
  readonly facts: FileFacts;
}

/** Returns an empty state. */
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
    facts: {},
  };
}

/** Opens a new branch of a voice and makes it the current one. */
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

/** Returns the index key for a name in one branch. */
export function branchKey(branch: number, name: string): number {
  return hashText(`${branch} ${name}`);
}

/** Growing list of 32-bit integers, four bytes each. It stores values for each record of a large file. */
export interface GrowingNumbers {
  readonly length: number;
  push(value: number): void;
  /**
   * Returns the value at an index.
   *
   * @throws RangeError outside the list.
   */
  get(index: number): number;
  set(index: number, value: number): void;
}

/** Creates an empty list. */
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
