// What stands in the place of older history: twelve fields, and beside them what they stand for. Type aliases, as all of
// it is JSON: the log keeps it with the record, so that the next compaction merges fields and summarises no summary.

import type { Position } from '@tidemark/log';

/** What somebody said. With `of`, `text` is an excerpt, and `of` the length of the whole in UTF-16 units. */
export type Quote = {
  readonly position: Position;
  readonly text: string;
  readonly of?: number;
};

/** What the session is about: the latest request, short prompts since then, and what a model says that it has become. */
export type Objective = Quote & { readonly since?: readonly Quote[]; readonly now?: string };

/** A prompt. */
export type Directive = Quote & {
  readonly steer?: true;
  /** It stands whole behind this checkpoint, at its old place: the text of the checkpoint does not repeat it. */
  readonly below?: true;
};

/** Who says so, where it is no fact of the log. What a model names no position for stands at the end of what it read. */
export type Authored = { readonly by?: 'model' };

/** Something that was settled. */
export type Decision = Authored & {
  readonly position: Position;
  readonly what: string;
  readonly why?: string;
  readonly status: string;
  /** The words of an earlier decision that no longer holds because of this one. */
  readonly replaces?: string;
};

/** What was done, in a line. */
export type WorkDone = Authored & { readonly position: Position; readonly what: string };

/** A file as a tool last met it. */
export type FileState = {
  readonly position: Position;
  readonly path: string;
  /** SHA-256 of its bytes then, where a tool told it. */
  readonly digest?: string;
  readonly removed?: true;
  /** Names in what was read and changed of it that are likely to be needed. */
  readonly names?: readonly NameInFile[];
};

/** A name, and the number of its line, from 1, where a result that was read tells it. `declared`: that line declares it. */
export type NameInFile = { readonly name: string; readonly line?: number; readonly declared?: true };

/** The last run of a command, and how often it ran. */
export type CommandRun = {
  readonly position: Position;
  readonly command: string;
  /** The folder that it was told to run in. */
  readonly folder?: string;
  /** `partial`: it was stopped while it ran. */
  readonly outcome: 'passed' | 'failed' | 'partial' | 'unknown';
  readonly exit?: number;
  readonly runs: number;
  /** The end of what it wrote. */
  readonly excerpt?: string;
  /** Where it failed before it passed, and the end of what it wrote then. */
  readonly failedAt?: Position;
  readonly failure?: string;
};

/** A turn, from its first record to its last. */
export type TurnState = { readonly position: Position; readonly to: Position; readonly outcome: string };

/** A step of a turn: words of the model, a call that it made, or a line of what a call returned. */
export type CheckpointStep = {
  readonly position: Position;
  readonly kind: 'said' | 'did' | 'found';
  readonly text: string;
  /** Set on words that no call followed: what the model found at the end of its work. */
  readonly last?: true;
};

/** Something that is still to be done. */
export type Task = Authored & {
  readonly position: Position;
  readonly task: string;
  /** `unlisted`: a later plan names it no more, and nothing says that it was done. */
  readonly status: 'open' | 'active' | 'unlisted';
};

/** A question that is open, or a risk. */
export type Remark = Authored & { readonly position: Position; readonly text: string };

/** A subagent, by the id of its session. */
export type SubagentState = {
  readonly position: Position;
  readonly id: string;
  readonly role?: string;
  readonly task?: string;
  readonly status: 'running' | 'completed' | 'failed' | 'interrupted' | 'limited';
  readonly result?: string;
};

/** An instruction file or a skill that is no longer before the model. */
export type ReadAgain = { readonly position: Position; readonly name: string; readonly version?: string };

/** What each list holds. */
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

/** The name of a list. */
export type ListName = keyof CheckpointItems;

/** The fields that are lists, each in the order of the log. */
export type CheckpointLists = { readonly [K in ListName]: readonly CheckpointItems[K][] };

/** Every list, each made by its name. */
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

/** What the bound made a checkpoint leave out of one list: how many, and between which positions, both included. */
export type LeftOut = { readonly count: number; readonly spans: readonly (readonly [from: Position, to: Position])[] };

/** A checkpoint. */
export type Checkpoint = CheckpointLists & {
  /** The shape of these fields. */
  readonly form: 'checkpoint/2';
  readonly strategy: 'deterministic' | 'model-assisted';
  /** All that it stands for, what earlier checkpoints stood for included. */
  readonly range: { readonly from: Position; readonly to: Position };
  /** Records in the range, by kind. */
  readonly counts: { readonly [kind: string]: number };
  /** The latest standing request; absent where no one has asked for anything. */
  readonly objective?: Objective;
  /** The newest summary that another program wrote of the beginning of the range. */
  readonly summary?: Quote;
  /** Those with a step that is kept, and the one under way. */
  readonly turns: readonly TurnState[];
  readonly steps: readonly CheckpointStep[];
  readonly limitations: readonly string[];
  readonly leftOut: { readonly [list in ListName | 'steps']?: LeftOut };
};
