// `plan` tool: records tasks, decisions and open questions as data. It changes nothing. Its only effect is that the
// call is in the log. A checkpoint reads the arguments of each such call, so their content remains after a compaction.

import type { Tool } from '@tidemark/agent';
import { z } from 'zod';
import { argumentsOf, isProblem } from '../door/arguments.ts';

const line = z.string().trim().min(1);

const PLAN = z.strictObject({
  tasks: z
    .array(z.strictObject({ task: line, status: z.enum(['open', 'active', 'done', 'dropped']) }))
    .optional()
    .describe('Use the same words for a task each time'),
  decisions: z
    .array(
      z.strictObject({
        what: line,
        why: line.optional(),
        status: line.optional().describe('superseded or rejected. Default: valid'),
      }),
    )
    .optional(),
  questions: z.array(line).optional().describe('Questions that only the user can answer'),
  risks: z.array(line).optional(),
  closed: z.array(line).optional().describe('Questions and risks that are settled, in the same words'),
});

const ARGUMENTS = argumentsOf(PLAN);

const DESCRIPTION =
  'Records the plan of longer work, not of short tasks: tasks, decisions, open questions, risks. It survives a compaction. Pass only what is new or changed; the rest stays. A task leaves the plan as done or dropped. Returns the counts.';

/** Creates the tool `plan`, with effect class `none`. A checkpoint reads the arguments of its calls. */
export function createPlanTool(): Tool {
  return {
    name: 'plan',
    description: DESCRIPTION,
    schema: ARGUMENTS.schema,
    earlier: ['ba3951e35744f8006a36649c01a34e09a6226f5e4098599ef8bb6d88e0bb18e5'],
    joins: 'next-epoch',
    effect: 'none',
    read(input) {
      const plan = ARGUMENTS.read(input);
      if (isProblem(plan)) return plan;
      const text = inShort(plan);
      if (text === '')
        return {
          problem: 'The plan is empty. Pass tasks, decisions, questions or risks that are new, changed or closed.',
        };
      return { title: 'plan', run: async () => ({ text: `planned: ${text}` }) };
    },
  };
}

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
