// `plan`: what is to be done, what was decided and what is open, said as data. It changes nothing; that the call stands in the
// log is its whole effect: a checkpoint reads the arguments of each such call, so that no compaction loses what they hold.

import type { Tool } from '@tidemark/agent';
import { z } from 'zod';
import { argumentsOf, isProblem } from '../door/arguments.ts';

const line = z.string().trim().min(1);

const PLAN = z.strictObject({
  tasks: z
    .array(z.strictObject({ task: line, status: z.enum(['open', 'active', 'done', 'dropped']) }))
    .optional()
    .describe('Name a task each time in the same words'),
  decisions: z
    .array(
      z.strictObject({
        what: line,
        why: line.optional(),
        status: line.optional().describe('In force unless said: superseded, rejected'),
      }),
    )
    .optional(),
  questions: z.array(line).optional().describe('What only the user can answer'),
  risks: z.array(line).optional(),
  closed: z.array(line).optional().describe('Questions and risks that no longer stand, in the same words'),
});

const ARGUMENTS = argumentsOf(PLAN);

const DESCRIPTION = `Keeps the plan of longer work: tasks, decisions, open questions, risks. It outlives a compaction of the history. Say what is new or has changed; what you leave out stays as it is, and a task leaves the plan as done or dropped.`;

/** @returns the tool `plan`, of effect `none`. Its arguments are those that a checkpoint reads. */
export function createPlanTool(): Tool {
  return {
    name: 'plan',
    description: DESCRIPTION,
    schema: ARGUMENTS.schema,
    effect: 'none',
    read(input) {
      const plan = ARGUMENTS.read(input);
      if (isProblem(plan)) return plan;
      const text = inShort(plan);
      if (text === '')
        return {
          problem: 'plan: it says nothing. Give tasks, decisions, questions or risks that are new, changed or closed.',
        };
      return { title: 'plan', run: async () => ({ text: `planned: ${text}` }) };
    },
  };
}

/** Short, as the plan itself stands in the call. */
function inShort({
  tasks = [],
  decisions = [],
  questions = [],
  risks = [],
  closed = [],
}: z.infer<typeof PLAN>): string {
  const states = ['active', 'open', 'done', 'dropped'] as const;
  const counts = states.flatMap((state) => {
    const count = tasks.filter(({ status }) => status === state).length;
    return count === 0 ? [] : [`${count} ${state}`];
  });
  return [
    ...(counts.length === 0 ? [] : [`tasks ${counts.join(', ')}`]),
    ...countTexts(decisions.length, 'decision'),
    ...countTexts(questions.length, 'question'),
    ...countTexts(risks.length, 'risk'),
    ...(closed.length === 0 ? [] : [`${closed.length} closed`]),
  ].join('; ');
}

function countTexts(count: number, noun: string): readonly string[] {
  return count === 0 ? [] : [`${count} ${noun}${count === 1 ? '' : 's'}`];
}
