// Each fault of a provider at each point of a turn: the turn goes on or ends with a reason, every tool runs once, the log
// is whole, and the next prompt is answered.

import { createAgent, defineTool } from '@tidemark/kit';
import type { Recorded } from '@tidemark/log';
import { THIS_MACHINE, verifySession } from '@tidemark/agent';
import { anthropicEncoder, createAnthropicProvider } from '@tidemark/provider-anthropic';
import type { Fault, ScriptedAnswer, SentRequest } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

/** Where a stream can break: before anything, behind its head, in text, in a call's arguments, before its end. */
const EVENTS = [0, 1, 3, 6, 9, 12];

const FAULTS: readonly Fault[] = [
  { kind: 'rate-limited', retryAfter: 7 },
  { kind: 'rate-limited' },
  { kind: 'overloaded' },
  { kind: 'server-error' },
  { kind: 'slow-first-byte', ms: 20 },
  { kind: 'evicted' },
  { kind: 'wrong-usage', usage: { cache_read_input_tokens: 999_999, input_tokens: 0 } },
  ...EVENTS.flatMap((afterEvents): readonly Fault[] => [
    { kind: 'cut', afterEvents },
    { kind: 'silence', afterEvents },
    { kind: 'error-event', afterEvents },
    { kind: 'malformed-event', afterEvents },
  ]),
];

/** Which call of the turn is struck: the first, one between tools, the last. */
const POINTS = [0, 1, 2];

const ANSWERS: readonly ScriptedAnswer[] = [
  {
    text: 'I look at two things, and say a little about each of them before I do so.',
    calls: [
      { id: 'call_a', name: 'work', arguments: { piece: 'a'.repeat(60) } },
      { id: 'call_b', name: 'work', arguments: { piece: 'b' } },
    ],
  },
  { text: 'One more.', calls: [{ id: 'call_c', name: 'work', arguments: { piece: 'c'.repeat(90) } }] },
  { text: 'That is all that there was to look at, and I have said what I found.' },
  { text: 'Still here.' },
];

describe.each(POINTS)('at call %i of a turn', (point) => {
  it.each(FAULTS.map((fault) => [describeFault(fault), fault] as const))(
    '%s ends in a valid session',
    async (_name, fault) => {
      const ran: string[] = [];
      let arrived = 0;
      const simulator = createSimulator({
        deltaCharacters: 16,
        onRequest: (sent) => ({
          answer: ANSWERS[answersIn(sent)] ?? { text: 'No more.' },
          ...(arrived++ === point && { fault }),
        }),
      });
      const listening = await simulator.listen();
      const agent = createAgent({
        model: 'claude-sonnet-4-5',
        provider: createAnthropicProvider({ apiKey: 'simulated', baseURL: listening.url, idleMs: 150 }),
        tools: [
          defineTool({
            name: 'work',
            description: 'Works on a piece.',
            input: z.object({ piece: z.string() }),
            effect: 'write',
            run: (_input, { call }) => {
              ran.push(call);
              return `done ${call}`;
            },
          }),
        ],
        permissions: { mode: 'auto' },
        surroundings: { ...THIS_MACHINE, wait: (ms, signal) => THIS_MACHINE.wait(ms / 1_000, signal) },
      });
      try {
        const session = await agent.open();
        const turn = await session.prompt('Look.');
        expect({ outcome: turn.outcome, text: turn.text }).toEqual({ outcome: 'completed', text: ANSWERS[2]?.text });
        const next = await session.prompt('Are you there?');
        expect({ outcome: next.outcome, text: next.text }).toEqual({ outcome: 'completed', text: 'Still here.' });
        expect(ran).toEqual(['call_a', 'call_b', 'call_c']);
        const records: Recorded[] = [];
        for await (const record of agent.log.read(session.id)) records.push(record);
        expect(records.filter(({ kind }) => kind === 'answer.received')).toHaveLength(4);
        const verified = await verifySession(agent.log, session.id, { encoders: () => anthropicEncoder });
        expect(verified).toMatchObject({ differences: [], breaks: [], problems: [] });
        // What the simulator refused, it refused because it was told to.
        const told = ['rate-limited', 'overloaded', 'server-error'].includes(fault.kind) ? 1 : 0;
        expect(simulator.calls.filter(({ status }) => status !== 200)).toHaveLength(told);
      } finally {
        await agent.close();
        await listening.close();
      }
    },
  );
});

function describeFault(fault: Fault): string {
  return JSON.stringify(fault).replaceAll(/[{}"]/g, '');
}

/** How often the model has spoken: a request that is sent again is answered the same. */
function answersIn({ body }: SentRequest): number {
  const messages = Array.isArray(body['messages']) ? body['messages'] : [];
  return messages.filter((message: { readonly role?: unknown }) => message.role === 'assistant').length;
}
