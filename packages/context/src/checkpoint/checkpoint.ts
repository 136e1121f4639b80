// Types of a checkpoint, the structured summary that replaces older history. A checkpoint has twelve lists, and fields
// that describe the range. All types are aliases, because TypeScript does not accept an interface where the log expects
// a JSON value. The next compaction merges these fields, so a summary is never summarized again.

import type { Position } from '@tidemark/log';

/** Quoted text. If `of` is set, `text` is an excerpt, and `of` is the length of the whole text in UTF-16 units. */
export type Quote = {
  readonly position: Position;
  readonly text: string;
  readonly of?: number;
};

/**
 * Subject of the session: the latest request, short prompts after it (`since`), and a model's description of the
 * current goal (`now`).
 */
export type Objective = Quote & { readonly since?: readonly Quote[]; readonly now?: string };

/** Prompt of the user. `steer` is set if the user sent it while the agent worked. */
export type Directive = Quote & {
  readonly steer?: true;
  /**
   * True if the whole prompt remains in the context after this checkpoint. In this case, the text of the checkpoint
   * does not repeat the prompt.
   */
  readonly below?: true;
};

/**
 * Marks an item that a model wrote and that the log does not prove (`by: 'model'`). If the model named no valid
 * position, the position of the item is the end of the range that the model read.
 */
export type Authored = { readonly by?: 'model' };

/** Decision from a stored plan or from a model. */
export type Decision = Authored & {
  readonly position: Position;
  readonly what: string;
  readonly why?: string;
  readonly status: string;
  /** Text of an earlier decision that this decision replaces. */
  readonly replaces?: string;
};

/** One line about completed work. */
export type WorkDone = Authored & { readonly position: Position; readonly what: string };

/** State of a file at the last tool call that read or changed it. */
export type FileState = {
  readonly position: Position;
  readonly path: string;
  /** SHA-256 of the file's bytes at that time, if the tool reported it. */
  readonly digest?: string;
  readonly removed?: true;
  /** Names that occur in the read or changed parts of the file and are likely to be needed later. */
  readonly names?: readonly NameInFile[];
};

/**
 * Name in a file, with its 1-based line number if a read result shows it. `declared` is set if that line declares the
 * name.
 */
export type NameInFile = { readonly name: string; readonly line?: number; readonly declared?: true };

/** Last run of a command, and the number of its runs. */
export type CommandRun = {
  readonly position: Position;
  readonly command: string;
  /** Folder in which the command runs, if the arguments of the call contain one. */
  readonly folder?: string;
  /**
   * Outcome of the last run. `passed`: exit code 0. `failed`: another exit code, or the call failed. `partial`: the
   * command was stopped while it ran, or the call failed although the exit code is 0. `unknown`: no exit code is
   * recorded, or a search found nothing.
   */
  readonly outcome: 'passed' | 'failed' | 'partial' | 'unknown';
  readonly exit?: number;
  readonly runs: number;
  /** End of the command's output. */
  readonly excerpt?: string;
  /** Position of the last failed run before the command passed. `failure` is the end of the output of that run. */
  readonly failedAt?: Position;
  readonly failure?: string;
};

/** Range of a turn, from its first record to its last, and its outcome. */
export type TurnState = { readonly position: Position; readonly to: Position; readonly outcome: string };

/**
 * One thing that happened in a turn: text of the model (`said`), a call that it made (`did`), or a line of a call's
 * result (`found`).
 */
export type CheckpointStep = {
  readonly position: Position;
  readonly kind: 'said' | 'did' | 'found';
  readonly text: string;
  /** Set if no call followed the text. Such a text contains the model's findings at the end of its work. */
  readonly last?: true;
};

/** Task that is not finished. */
export type Task = Authored & {
  readonly position: Position;
  readonly task: string;
  /** Status of the task. `unlisted`: a later plan no longer contains the task, and nothing shows that it was done. */
  readonly status: 'open' | 'active' | 'unlisted';
};

/** Open question, or risk. */
export type Remark = Authored & { readonly position: Position; readonly text: string };

/** State of a subagent. `id` is the id of its session. */
export type SubagentState = {
  readonly position: Position;
  readonly id: string;
  readonly role?: string;
  readonly task?: string;
  readonly status: 'running' | 'completed' | 'failed' | 'interrupted' | 'limited';
  readonly result?: string;
};

/** Instruction file or skill whose text the model no longer sees and must read again. */
export type ReadAgain = { readonly position: Position; readonly name: string; readonly version?: string };

/** Item type of each list. */
export type CheckpointItems = {
  readonly directives: Directive;
  readonly decisions: Decision;
  readonly work: WorkDone;
  readonly filesChanged: FileState;
  readonly filesRead: FileState;
  readonly commands: CommandRun;
  readonly tasks: Task;
  readonly questions: Remark;
  readonly risks: Remark;
  readonly subagents: SubagentState;
  readonly instructions: ReadAgain;
  readonly skills: ReadAgain;
};

export type ListName = keyof CheckpointItems;

/** All lists of a checkpoint. Each is in log order. */
export type CheckpointLists = { readonly [K in ListName]: readonly CheckpointItems[K][] };

/** Builds all lists by calling `make` with each list name. */
export function eachList(make: <K extends ListName>(name: K) => readonly CheckpointItems[K][]): CheckpointLists {
  return {
    directives: make('directives'),
    decisions: make('decisions'),
    work: make('work'),
    filesChanged: make('filesChanged'),
    filesRead: make('filesRead'),
    commands: make('commands'),
    tasks: make('tasks'),
    questions: make('questions'),
    risks: make('risks'),
    subagents: make('subagents'),
    instructions: make('instructions'),
    skills: make('skills'),
  };
}

/**
 * Items of one list that were omitted to keep the checkpoint within its token limit. `count` is their number. `spans`
 * are the ranges of positions that contain them, both ends included.
 */
export type LeftOut = { readonly count: number; readonly spans: readonly (readonly [from: Position, to: Position])[] };

/** Checkpoint: a structured summary that replaces a range of history. */
export type Checkpoint = CheckpointLists & {
  /** Revision of the shape of these fields. */
  readonly form: 'checkpoint/2';
  readonly strategy: 'deterministic' | 'model-assisted';
  /** Range that the checkpoint replaces, including the ranges of earlier checkpoints. */
  readonly range: { readonly from: Position; readonly to: Position };
  /** Number of records in the range, by kind. */
  readonly counts: { readonly [kind: string]: number };
  /** Latest request that is still valid. Absent if there was no request. */
  readonly objective?: Objective;
  /** Newest summary that another program wrote about the beginning of the range. */
  readonly summary?: Quote;
  /** Turns with at least one kept step, and the turn in progress. */
  readonly turns: readonly TurnState[];
  readonly steps: readonly CheckpointStep[];
  readonly limitations: readonly string[];
  readonly leftOut: { readonly [list in ListName | 'steps']?: LeftOut };
};
