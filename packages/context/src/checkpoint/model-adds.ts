// What a model wrote, placed in the log: where it names a position of what it read it stands there, else at the end.

import type { Range } from '@tidemark/log';
import { position } from '@tidemark/log';
import type { Decision, Remark, Task, Work } from './checkpoint.ts';
import { carriedLine } from './excerpt.ts';
import type { ModelFields } from './model-fields.ts';

/** What a model adds, each thing marked as its word. */
export interface ModelAdds {
  readonly objective?: string;
  readonly decisions: readonly Decision[];
  readonly work: readonly Work[];
  readonly tasks: readonly Task[];
  readonly questions: readonly Remark[];
  readonly risks: readonly Remark[];
}

/** Places them in the range that the model read. */
export function placeAdds(fields: ModelFields, { from, to }: Range): ModelAdds {
  const by = 'model' as const;
  const at = (named: number | undefined): Range['to'] =>
    named !== undefined && named >= from && named <= to ? position(named) : to;
  const remark = (text: string): Remark => ({ position: to, text: carriedLine(text), by });
  const { objective } = fields;
  return {
    ...(objective !== undefined && { objective: carriedLine(objective) }),
    decisions: fields.decisions.map(({ position: named, what, why, status }) => ({
      position: at(named),
      what: carriedLine(what),
      ...(why !== undefined && { why: carriedLine(why) }),
      status: carriedLine(status),
      by,
    })),
    work: fields.work.map(({ position: named, what }) => ({ position: at(named), what: carriedLine(what), by })),
    tasks: fields.tasks.map(({ position: named, task, status }) => ({
      position: at(named),
      task: carriedLine(task),
      status,
      by,
    })),
    questions: fields.questions.map(remark),
    risks: fields.risks.map(remark),
  };
}
