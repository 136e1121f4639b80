// The work of a family that is killed again and again: a parent that has parts of it done by subagents, and what the model
// answers to each of them, by how much it has said so far.

import type { PlannedAnswer, ReceivedRequest } from '@tidemark/simulator';

type Call = NonNullable<PlannedAnswer['calls']>[number];

/** How the parent ends. */
export const RESULT = 'All parts are done.';
/** Parts that subagents do: three side by side, then one more. */
export const PARTS = [0, 1, 2, 3];

/** The answer to a request, whoever of the family sent it. */
export function answerTo(sent: ReceivedRequest): PlannedAnswer {
  const part = /Your task:\\nDo part (\d)\./.exec(JSON.stringify(sent.body))?.[1];
  return part === undefined ? ofParent(stepOf(sent)) : ofChild(part, stepOf(sent));
}

/** How much was said so far is the step: a model that is asked the same answers the same. */
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
