// Tests for the tool runner of the official SDK, which sends each turn over a message thread by default.

import Anthropic from '@anthropic-ai/sdk';
import { afterEach, expect, it } from 'vitest';
import type { Fault, ListeningSimulator, Simulator, SimulatorOptions } from '../src/index.ts';
import { simulate } from './conversation.ts';

const open: ListeningSimulator[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((door) => door.close()));
});

const PARAMS = { model: 'test-model', max_tokens: 1000, messages: [{ role: 'user' as const, content: 'go' }] };

const look = {
  name: 'look',
  input_schema: { type: 'object' as const, properties: {} },
  run: (): string => 'seen',
  parse: (): object => ({}),
};

interface Parts extends Pick<SimulatorOptions, 'onCall'> {
  readonly fault?: Fault;
}

async function start({ fault, onCall }: Parts = {}): Promise<{
  readonly simulator: Simulator;
  readonly client: Anthropic;
}> {
  const steps = [
    { answer: { calls: [{ name: 'look', arguments: {} }] } },
    { expect: { toolResult: 'seen' }, answer: { text: 'Done.' }, ...(fault === undefined ? {} : { fault }) },
  ];
  const simulator = simulate({ scenario: { steps }, ...(onCall === undefined ? {} : { onCall }) });
  const door = await simulator.listen();
  open.push(door);
  const client = new Anthropic({ apiKey: 'test-key', baseURL: door.url, maxRetries: 1, logLevel: 'off' });
  return { simulator, client };
}

it('the tool runner of the SDK runs a tool over a message thread', async () => {
  const bodies: unknown[] = [];
  const { simulator, client } = await start({
    onCall: (_, { body }) => void bodies.push(JSON.parse(Buffer.from(body).toString('utf8'))),
  });
  const { content } = await client.beta.messages.toolRunner({ ...PARAMS, tools: [look] });
  expect(content).toMatchObject([{ type: 'text', text: 'Done.' }]);
  expect(simulator.check()).toEqual([]);
  expect(bodies).toMatchObject([
    { thread: { type: 'create' } },
    { thread: { type: 'continue' }, messages: [{ role: 'user', content: [{ type: 'tool_result' }] }] },
  ]);
});

it('a thread can be continued again after the connection of an answer was cut', async () => {
  const { simulator, client } = await start({ fault: { kind: 'cut', afterEvents: 0 } });
  const { content } = await client.beta.messages.toolRunner({ ...PARAMS, tools: [look] });
  expect(content).toMatchObject([{ type: 'text', text: 'Done.' }]);
  expect(simulator.requests().map(({ status }) => status)).toEqual([200, 200, 200]);
});
