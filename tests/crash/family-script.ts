// Planned answers for a family (a parent session and its subagents) whose process is repeatedly killed. The parent's
// subagents do the parts of its work. The answer to a request depends only on the request, mainly on the number of
// answers already in it.

import type { PlannedAnswer, ReceivedRequest } from '@tidemark/simulator';

type Call = NonNullable<PlannedAnswer['calls']>[number];

/** Final text of the parent. */
export const RESULT = 'All parts are done.';
/** Numbers of the parts that subagents do. The parent starts the first three in parallel, and the fourth later. */
export const PARTS = [0, 1, 2, 3];

/** Returns the answer to a request of the parent or of a subagent. */
export function answerTo(sent: ReceivedRequest): PlannedAnswer {
  const part = /Your task:\\nDo part (\d)\./.exec(JSON.stringify(sent.body))?.[1];
  return part === undefined ? ofParent(stepOf(sent)) : ofChild(part, stepOf(sent));
}

/**
 * Returns the step, which is the number of answers in the request. The same request therefore always has the same step,
 * and gets the same answer.
 */
function stepOf({ body }: ReceivedRequest): number {
  const messages = Array.isArray(body['messages']) ? body['messages'] : [];
  return messages.filter((message: { readonly role?: unknown }) => message.role === 'assistant').length;
}

function ofParent(step: number): PlannedAnswer {
  if (step === 0) return { text: 'Three of them do it.', calls: PARTS.slice(0, 3).map(askFor) };
  if (step === 1) return { text: 'And one more.', calls: [work('parent_1', 'change'), ...PARTS.slice(3).map(askFor)] };
  return { text: RESULT };
}

function ofChild(part: string, step: number): PlannedAnswer {
  if (step >= 3) return { text: `Part ${part} is done.` };
  const id = `part_${part}_${step}`;
  const calls = step === 1 ? [work(`${id}_a`, 'change')] : [work(`${id}_a`, 'look'), work(`${id}_b`, 'try')];
  return { text: `Step ${step} of part ${part}. ${'I look before I change. '.repeat(8)}`, calls };
}

function askFor(part: number): Call {
  return { id: `agent_${part}`, name: 'agent', arguments: { role: `worker ${part}`, task: `Do part ${part}.` } };
}

function work(id: string, name: string): Call {
  return { id, name, arguments: { piece: id, ms: 4 } };
}
