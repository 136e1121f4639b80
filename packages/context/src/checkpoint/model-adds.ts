// Assigns positions to the items that a model wrote, and finds the earlier items that they close. An item without a
// valid position gets the position at the end of the range.

import { defined } from '@tidemark/core';
import type { Position, Range } from '@tidemark/log';
import { position } from '@tidemark/log';
import type { Checkpoint, Decision, Objective, Remark, Task, WorkDone, Authored } from './checkpoint.ts';
import { carriedLine, keyOfLine } from './excerpt.ts';
import type { ModelFields } from './model-answer.ts';
import { isClosed } from './model-answer.ts';

/** Items that a model adds, each marked with `by: 'model'`, and the earlier items that it closes. */
export interface ModelAdds {
  readonly objective?: string;
  readonly decisions: readonly Decision[];
  readonly work: readonly WorkDone[];
  readonly tasks: readonly Task[];
  readonly questions: readonly Remark[];
  readonly risks: readonly Remark[];
  /** Keys (`keyOfLine`) of replaced decisions, ended tasks and answered questions. */
  readonly closes: { readonly [list in 'decisions' | 'tasks' | 'questions']: ReadonlySet<string> };
}

/**
 * Converts the answer of a model into items with positions. An item whose position is missing or outside the range gets
 * the position `to`.
 */
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
 * Returns the previous checkpoint without the items that a model wrote, because the new answer replaces them. Items
 * proven by the log remain.
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

/** Returns the positions of earlier items of a model that its new answer does not repeat and does not close. */
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
  const keys = new Set(now.map((one) => keyOfLine(wordsOf(one))));
  return before.flatMap((one) => {
    const key = keyOfLine(wordsOf(one));
    return isProven(one) || keys.has(key) || closed?.has(key) === true ? [] : [one.position];
  });
}
