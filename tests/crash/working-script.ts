// The work of a session that is killed again and again: what the model answers at each step, by how much it has said so
// far, and which tools do it.

import type { EffectClass } from '@tidemark/log';
import type { PlannedAnswer } from '@tidemark/simulator';

/** What the session is asked. */
export const TASK = 'Do the work, piece by piece.';
/** How it ends. */
export const RESULT = 'All pieces are done.';
/** Steps before the last one. */
export const STEPS = 9;

/** A tool that runs again when it was cut, and two that may not. */
export const WORKING_TOOLS: readonly { readonly name: string; readonly effect: EffectClass }[] = [
  { name: 'look', effect: 'read' },
  { name: 'change', effect: 'write' },
  { name: 'try', effect: 'execute' },
];

const PLANS: readonly (readonly string[])[] = [
  ['look', 'look', 'look'],
  ['change'],
  ['look', 'change', 'change', 'look'],
  ['try', 'look'],
];

/** The answer of a step. */
export function answerAt(step: number): PlannedAnswer {
  if (step >= STEPS) return { text: RESULT };
  const plan = PLANS[step % PLANS.length] ?? [];
  return {
    text: `Step ${step}. ${'I look at what there is before I change it. '.repeat(12)}`,
    calls: plan.map((name, index) => ({
      id: `call_${step}_${index}`,
      name,
      arguments: { piece: `${step}.${index}`, ms: 4 * ((step + index) % 3) },
    })),
  };
}
