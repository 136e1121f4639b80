// The state of the first pass: branches as they grow, and a small index over the records.

import type { Timestamp } from '@tidemark/log';
import { hashText } from '../file/fields.ts';
import type { Branch } from './outline.ts';

/** A branch in the making. */
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
  /** How often history moved on; a record stands at the number in force when it came. */
  generation: number;
  /** `began[n]`: the record that moved history on from generation n. */
  readonly began: number[];
  /** The answer whose rows are coming in. */
  answer: string | undefined;
}

/** One who speaks: the main conversation, or a subagent. */
export interface Voice {
  root: BranchDraft | undefined;
  current: BranchDraft | undefined;
}

/** A point of a branch. */
export interface BranchPlace {
  readonly branch: BranchDraft;
  readonly generation: number;
}

/** What the records say of the whole file. */
export interface FileFacts {
  at?: Timestamp;
  workspace?: string;
  title?: string;
  opening?: string;
  session?: string;
}

/** The first pass so far. */
export interface Drawing {
  readonly branches: BranchDraft[];
  readonly main: Voice;
  readonly sides: Map<string, Voice>;
  lastSide: Voice | undefined;
  /** Whether the main conversation says anything at all. */
  mainSpeaks: boolean;
  /** Row by hash of its id; rows only for records that have one. */
  readonly rows: Map<number, number>;
  readonly rowBranch: GrowingNumbers;
  readonly rowGeneration: GrowingNumbers;
  readonly rowOrdinal: GrowingNumbers;
  /** Branch by ordinal. */
  readonly routes: GrowingNumbers;
  /** Records that were there before. */
  readonly repeated: Set<number>;
  readonly answerEnds: Map<number, number>;
  readonly resultEnds: Map<number, number>;
  readonly kept: Map<number, number>;
  readonly facts: FileFacts;
}

/** Nothing drawn yet. */
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

/** A new branch of a voice, and the current one from here on. */
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

/** The row of a record by its id, where it was seen. */
export function rowOf(drawing: Drawing, id: string | null | undefined): number | undefined {
  return id === undefined || id === null ? undefined : drawing.rows.get(hashText(id));
}

/** The key under which a name of one branch is kept. */
export function branchKey(branch: number, name: string): number {
  return hashText(`${branch} ${name}`);
}

/** A growing list of 32-bit integers: four bytes each, for what is kept per record of a large file. */
export interface GrowingNumbers {
  readonly length: number;
  push(value: number): void;
  /** @throws RangeError outside the list. */
  get(index: number): number;
  set(index: number, value: number): void;
}

/** An empty list. */
function growingNumbers(): GrowingNumbers {
  let buffer = new Int32Array(1024);
  let length = 0;
  const check = (index: number): void => {
    if (index < 0 || index >= length) throw new RangeError(`no number at ${index} of ${length}`);
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
