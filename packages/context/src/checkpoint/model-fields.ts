// What a model writes of a checkpoint. Files, commands and the words of the user come from the log alone, so the model is not
// asked for them.

import { keyOfLine } from './excerpt.ts';

/** The answer of a model, read and checked. Positions are the model's own word, and are checked where they are merged. */
export interface ModelFields {
  /** What the session is about now. */
  readonly objective?: string;
  readonly decisions: readonly ModelDecision[];
  readonly work: readonly { readonly what: string; readonly position?: number }[];
  readonly tasks: readonly ModelTask[];
  readonly questions: readonly ModelQuestion[];
  readonly risks: readonly string[];
  /** What it says that it could not carry over. */
  readonly limitations: readonly string[];
}

/** A decision as a model has it. */
export interface ModelDecision {
  readonly what: string;
  readonly why?: string;
  readonly status: string;
  /** The words of the decision that no longer holds because of this one. */
  readonly replaces?: string;
  readonly position?: number;
}

/** A task as a model has it. `done` and `dropped` close it. */
export interface ModelTask {
  readonly task: string;
  readonly status: 'open' | 'active' | 'done' | 'dropped';
  readonly position?: number;
}

/** A question as a model has it. An answer closes it. */
export interface ModelQuestion {
  readonly question: string;
  readonly answer?: string;
}

/** Returns why the lists of an answer contradict one another; `undefined` where they do not. */
export function contradictionIn({ decisions, work, tasks, questions }: ModelFields): string | undefined {
  const standing = new Set(decisions.filter(({ status }) => status !== 'reversed').map(({ what }) => keyOfLine(what)));
  const replaced = decisions.find(({ replaces }) => replaces !== undefined && standing.has(keyOfLine(replaces)));
  if (replaced !== undefined) return `the decision "${replaced.replaces}" is listed, and another one replaces it`;
  const reversed = twice(
    decisions,
    ({ what }) => what,
    ({ status }) => status === 'reversed',
  );
  if (reversed !== undefined) return `the decision "${reversed}" is listed both as settled and as reversed`;
  const done = new Set(work.map(({ what }) => keyOfLine(what)));
  const both = tasks.find((one) => !isClosed(one) && done.has(keyOfLine(`Task done: ${one.task}`)));
  if (both !== undefined) return `the task "${both.task}" is listed as open, and as work done`;
  const task = twice(tasks, (one) => one.task, isClosed);
  if (task !== undefined) return `the task "${task}" is listed both as open and as ended`;
  const question = twice(
    questions,
    (one) => one.question,
    ({ answer }) => answer !== undefined,
  );
  return question === undefined ? undefined : `the question "${question}" is listed both with and without its answer`;
}

/** Returns true for a task that its status closes. */
export function isClosed({ status }: Pick<ModelTask, 'status'>): boolean {
  return status === 'done' || status === 'dropped';
}

/** Returns the words of one that is listed both closed and open. */
function twice<T>(all: readonly T[], wordsOf: (one: T) => string, closed: (one: T) => boolean): string | undefined {
  const ended = new Set(all.filter(closed).map((one) => keyOfLine(wordsOf(one))));
  const open = all.find((one) => !closed(one) && ended.has(keyOfLine(wordsOf(one))));
  return open === undefined ? undefined : wordsOf(open);
}
