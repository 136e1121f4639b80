// Planned answers and tools of the sessions that workers run.

import type { EffectClass } from '@tidemark/log';
import type { PlannedAnswer, ReceivedRequest } from '@tidemark/simulator';

/** Tools of the sessions. A call of `look` runs again if it was interrupted. A call of `change` must not run again. */
export const TOOLS: readonly { readonly name: string; readonly effect: EffectClass }[] = [
  { name: 'look', effect: 'read' },
  { name: 'change', effect: 'write' },
];

/** Final text of each turn. */
export const RESULT = 'All pieces are done.';

/** Steps with tools in each turn. */
export const STEPS = 4;

/** Returns the answer for a request. The number of answers in the request is the step, so it gets the same answer again. */
export function answerOf({ body }: ReceivedRequest): PlannedAnswer {
  const messages: readonly { readonly role?: unknown }[] = Array.isArray(body['messages']) ? body['messages'] : [];
  const step = messages.filter(({ role }) => role === 'assistant').length % (STEPS + 1);
  if (step === STEPS) return { text: RESULT };
  const names = step % 2 === 0 ? ['look', 'look'] : ['change'];
  return {
    text: `Step ${step}.`,
    calls: names.map((name, index) => ({
      id: `call_${messages.length}_${index}`,
      name,
      arguments: { piece: `${step}.${index}`, ms: 20 },
    })),
  };
}
