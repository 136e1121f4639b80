// What a model wrote, placed in the log: where it names a position of what it read it stands there, else at the end; and what
// of the checkpoint before it closes.

import { defined } from '@tidemark/core';
import type { Position, Range } from '@tidemark/log';
import { position } from '@tidemark/log';
import type { Checkpoint, Decision, Objective, Remark, Task, WorkDone, Authored } from './checkpoint.ts';
import { carriedLine, keyOfLine } from './excerpt.ts';
import type { ModelFields } from './model-answer.ts';
import { isClosed } from './model-answer.ts';

/** What a model adds, each thing marked as its word, and what it closes. */
export interface ModelAdds {
  readonly objective?: string;
  readonly decisions: readonly Decision[];
  readonly work: readonly WorkDone[];
  readonly tasks: readonly Task[];
  readonly questions: readonly Remark[];
  readonly risks: readonly Remark[];
  /** Decisions that no longer hold, tasks that ended, and questions that were answered, each by `keyOfLine`. */
  readonly closes: { readonly [list in 'decisions' | 'tasks' | 'questions']: ReadonlySet<string> };
}

/** Places them in the range that the model read. */
export function placeAdds(fields: ModelFields, { from, to }: Range): ModelAdds {
  const by = 'model' as const;
  const at = (named: number | undefined): Range['to'] =>
    named !== undefined && named >= from && named <= to ? position(named) : to;
  const remark = (text: string): Remark => ({ position: to, text: carriedLine(text), by });
  const { objective, decisions, questions } = fields;
  const ended = fields.tasks.filter(isClosed);
  const answered = questions.flatMap(({ question, answer }) => (answer === undefined ? [] : [{ question, answer }]));
  return defined({
    objective: objective === undefined ? undefined : carriedLine(objective),
    decisions: decisions.map(({ position: named, what, why, status, replaces }) =>
      defined({
        position: at(named),
        what: carriedLine(what),
        why: why === undefined ? undefined : carriedLine(why),
        status,
        replaces: replaces === undefined ? undefined : carriedLine(replaces),
        by,
      }),
    ),
    work: [
      ...fields.work.map(({ position: named, what }) => ({ position: at(named), what: carriedLine(what), by })),
      ...ended.map(({ position: named, task, status }) => ({
        position: at(named),
        what: carriedLine(`Task ${status}: ${task}`),
        by,
      })),
      ...answered.map(({ question, answer }) => ({
        position: to,
        what: carriedLine(`Question answered: ${question} ${answer}`),
        by,
      })),
    ],
    tasks: fields.tasks.flatMap(({ position: named, task, status }) =>
      status === 'open' || status === 'active' ? [{ position: at(named), task: carriedLine(task), status, by }] : [],
    ),
    questions: questions.flatMap(({ question, answer }) => (answer === undefined ? [remark(question)] : [])),
    risks: fields.risks.map(remark),
    closes: {
      decisions: keysOf(decisions.flatMap(({ replaces }) => replaces ?? [])),
      tasks: keysOf(ended.map(({ task }) => task)),
      questions: keysOf(answered.map(({ question }) => question)),
    },
  });
}

function keysOf(lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.map((line) => keyOfLine(carriedLine(line))));
}

/**
 * The checkpoint before, without what a model wrote of it: the new answer stands in the place of the one before. What the log
 * proves stays.
 */
export function withoutModel(before: Checkpoint): Checkpoint {
  const { objective, decisions, work, tasks, questions, risks, ...rest } = before;
  return {
    ...rest,
    ...defined({ objective: objective === undefined ? undefined : withoutNow(objective) }),
    decisions: decisions.filter(isProven),
    work: work.filter(isProven),
    tasks: tasks.filter(isProven),
    questions: questions.filter(isProven),
    risks: risks.filter(isProven),
  };
}

function withoutNow({ position: at, text, of, since }: Objective): Objective {
  return defined({ position: at, text, of, since });
}

function isProven({ by }: Authored): boolean {
  return by === undefined;
}

/** Where the lines stand that a model wrote before, and that its new answer neither repeats nor closes. */
export function missingPositions(before: Checkpoint, adds: ModelAdds): readonly Position[] {
  const { closes } = adds;
  return [
    ...missing(before.decisions, adds.decisions, ({ what }) => what, closes.decisions),
    ...missing(before.work, adds.work, ({ what }) => what),
    ...missing(before.tasks, adds.tasks, ({ task }) => task, closes.tasks),
    ...missing(before.questions, adds.questions, ({ text }) => text, closes.questions),
    ...missing(before.risks, adds.risks, ({ text }) => text),
  ];
}

function missing<T extends Authored & { readonly position: Position }>(
  before: readonly T[],
  now: readonly T[],
  wordsOf: (one: T) => string,
  closed?: ReadonlySet<string>,
): readonly Position[] {
  const said = new Set(now.map((one) => keyOfLine(wordsOf(one))));
  return before.flatMap((one) => {
    const key = keyOfLine(wordsOf(one));
    return isProven(one) || said.has(key) || closed?.has(key) === true ? [] : [one.position];
  });
}
