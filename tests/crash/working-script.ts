// Planned answers and tools of a session whose process is repeatedly killed.

import type { EffectClass } from '@tidemark/log';
import type { PlannedAnswer } from '@tidemark/simulator';

/** Prompt of the session. */
export const TASK = 'Do the work, piece by piece.';
/** Final text of the session. */
export const RESULT = 'All pieces are done.';
/** Number of steps before the last one. */
export const STEPS = 9;

/**
 * Tools of the session. A call of `look` runs again if it was interrupted. Calls of `change` and `try` must not run
 * again.
 */
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

/** Returns the model's answer at a step. */
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
