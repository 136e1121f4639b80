// Tests a compatible server with an incomplete usage report: only a total, a total with cache reads, nothing, zeros, or
// invalid numbers.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { Recorded, RecordedOf } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { AgentOptions } from './agent-options.ts';
import type { Agent } from './create-agent.ts';
import { createAgent } from './create-agent.ts';
import { defineTool } from './define-tool.ts';

/** Returns the usage object that the server reports for a request with `input` tokens. */
type Counting = (input: number) => object | undefined;

const TOTAL = (input: number): object => ({ prompt_tokens: input, completion_tokens: 12 });
const WITH_READS: Counting = (input) => ({ ...TOTAL(input), prompt_tokens_details: { cached_tokens: input - 100 } });
const NOTHING: Counting = () => undefined;
const ZEROS: Counting = () => ({ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 });
const ODD: Counting = (input) => ({ prompt_tokens: String(input), completion_tokens: -1 });

interface Served {
  readonly url: string;
  /** Input tokens of each request, as counted by the server. */
  readonly inputs: number[];
  close(): Promise<unknown>;
}

let served: Served | undefined;
afterEach(() => served?.close());

/** Text in a prompt that makes the server call the tool `again` in every answer. */
const CALL_ME = 'and call the tool again and again';

const again = defineTool({
  name: 'again',
  description: 'Does nothing.',
  input: z.object({}),
  effect: 'read',
  run: () => 'Call it again.',
});

/** Catalog row with the prices of a compatible server. Cache writes have no separate price. */
const PRICED = {
  revision: 1,
  rows: [
    {
      provider: 'compatible',
      model: 'priced-model',
      aliases: [],
      inputLimit: 92_000,
      window: { tokens: 100_000, sharedWithOutput: 'refused' },
      outputLimit: 8_000,
      markers: 'unknown',
      slots: 0,
      lookback: 0,
      runsCollapse: false,
      ttls: [],
      renderParameters: { model: 'tools' },
      thinkingStripped: 'at-new-turn',
      prefixCheck: false,
      appends: [],
      prefill: false,
      forcedToolChoice: false,
      prewarm: false,
      promotes: 'no',
      prices: [
        { from: '0001-01-01', tiers: [{ above: 0, price: { input: '1', output: '10', read: '0.1', writes: {} } }] },
      ],
      source: 'said by its user',
      asOf: '2026-11-20',
    },
  ],
};

/** Counts words as tokens. The server's count therefore does not depend on an estimate. */
function tokensOf(body: string): number {
  return body.split(/[^a-z]+/i).length;
}

async function serve(counting: Counting): Promise<Served> {
  const inputs: number[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const body = Buffer.concat(chunks).toString();
    const input = tokensOf(body);
    inputs.push(input);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const say = (chunk: object): unknown =>
      response.write(`data: ${JSON.stringify({ id: 'c', model: 'm', ...chunk })}\n\n`);
    const calls = body.includes(CALL_ME);
    const call = {
      index: 0,
      id: `call_${inputs.length}`,
      type: 'function',
      function: { name: 'again', arguments: '{}' },
    };
    const delta = calls ? { role: 'assistant', tool_calls: [call] } : { role: 'assistant', content: 'Noted.' };
    say({ choices: [{ index: 0, delta }] });
    say({ choices: [{ index: 0, delta: {}, finish_reason: calls ? 'tool_calls' : 'stop' }] });
    const usage = counting(input);
    if (usage !== undefined) say({ choices: [], usage });
    response.end('data: [DONE]\n\n');
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const close = (): Promise<unknown> => new Promise((closed) => server.close(closed));
  served = { url: `http://127.0.0.1:${port}/v1`, inputs, close };
  return served;
}

function agentAt({ url }: Served, more: Partial<AgentOptions>): Agent {
  const reached = { provider: 'compatible', baseURL: url, apiKey: 'none' } as const;
  return createAgent({
    model: 'local-model',
    tools: [],
    ...reached,
    ...more,
    context: { runtimeInstructions: 'minimal', ...more.context },
    cache: { padding: 'never', ...more.cache },
  });
}

async function recordsOf(agent: Agent, session: string): Promise<readonly Recorded[]> {
  const records: Recorded[] = [];
  for await (const record of agent.log.read(sessionId(session))) records.push(record);
  return records;
}

const PROMPT = 'some plain words of a prompt '.repeat(330);

describe.each([
  ['a total', TOTAL],
  ['a total and cache reads', WITH_READS],
  ['nothing', NOTHING],
  ['zeros', ZEROS],
  ['words and negative numbers', ODD],
])('a session with a compatible server that reports %s', (_, counting) => {
  test('is compacted before its window is full', async () => {
    const server = await serve(counting);
    const agent = agentAt(server, { modelOptions: { contextWindow: 12_000 }, maxOutputTokens: 1_000 });
    const session = await agent.open();
    for (let turn = 0; turn < 8; turn += 1) {
      expect(await session.prompt(`${turn}: ${PROMPT}`)).toMatchObject({ outcome: 'completed' });
    }
    const kinds = (await recordsOf(agent, session.id)).map(({ kind }) => kind);
    expect(kinds).toContain('history.compacted');
    expect(Math.max(...server.inputs)).toBeLessThan(11_000);
    await agent.close();
  });

  test('ends a turn at its token limit', async () => {
    const server = await serve(counting);
    const agent = agentAt(server, {
      modelOptions: { contextWindow: 200_000 },
      limits: { maxTokens: 2_500 },
      tools: [again],
    });
    const session = await agent.open();
    const ended = await session.prompt(`${PROMPT} ${CALL_ME}`);
    expect(ended).toMatchObject({ outcome: 'limited', error: { code: 'turn/limit-tokens' } });
    expect(server.inputs.length).toBeLessThan(4);
    await agent.close();
  });
});

describe('the recorded answer of a compatible server', () => {
  interface Answered {
    readonly sent: number;
    readonly data: RecordedOf<'answer.received'>['data'];
  }

  async function answerTo(counting: Counting, more: Partial<AgentOptions>): Promise<Answered> {
    const server = await serve(counting);
    const agent = agentAt(server, more);
    const session = await agent.open();
    await session.prompt(PROMPT);
    const records = await recordsOf(agent, session.id);
    await agent.close();
    const answer = records.find((record) => record.kind === 'answer.received');
    const [sent = 0] = server.inputs;
    if (answer?.kind !== 'answer.received') throw new Error('no answer came');
    return { sent, data: answer.data };
  }

  test('has the reported total, and no cost if no price is known', async () => {
    const { sent, data } = await answerTo(TOTAL, { modelOptions: { contextWindow: 100_000 } });
    expect(data.usage).toEqual({ input: sent, answer: 12 });
    expect(data).not.toHaveProperty('cost');
    expect(data).not.toHaveProperty('estimated');
  });

  test('has its exact cost if the catalog row has all prices and bills no cache writes', async () => {
    const { sent, data } = await answerTo(WITH_READS, { model: 'priced-model', modelOptions: { catalog: PRICED } });
    expect(data.usage).toEqual({ fresh: 100, read: sent - 100, writes: [], answer: 12 });
    expect(Number(data.cost)).toBeCloseTo((100 + 0.1 * (sent - 100) + 10 * 12) / 1e6, 12);
  });

  test('has an upper bound of its cost if the server does not report cache reads', async () => {
    const { sent, data } = await answerTo(TOTAL, { model: 'priced-model', modelOptions: { catalog: PRICED } });
    expect(data.usage).toEqual({ input: sent, answer: 12 });
    expect(data).not.toHaveProperty('cost');
    expect(Number(data.costAtMost)).toBeCloseTo((sent + 10 * 12) / 1e6, 12);
  });

  test.each([
    ['the server reports no counts', NOTHING],
    ['the server reports zeros', ZEROS],
    ['the reported values are not counts', ODD],
  ])('has an estimate marked as such if %s', async (_, counting) => {
    const { sent, data } = await answerTo(counting, { model: 'priced-model', modelOptions: { catalog: PRICED } });
    expect(data.usage).toEqual({});
    const { input = 0, output = 0, cost } = data.estimated ?? {};
    expect(Math.abs(input - sent) / sent).toBeLessThan(0.25);
    expect(output).toBeGreaterThan(0);
    expect(Number(cost)).toBeCloseTo((input + 10 * output) / 1e6, 12);
    expect(data).not.toHaveProperty('cost');
    expect(data).not.toHaveProperty('costAtMost');
  });
});

test("a server that reads nothing from its cache causes a miss with the cause `unknown`, because the model's floor is unknown", async () => {
  const server = await serve((input) => ({ ...TOTAL(input), prompt_tokens_details: { cached_tokens: 0 } }));
  const agent = agentAt(server, { modelOptions: { contextWindow: 100_000 } });
  const session = await agent.open();
  for (const words of [PROMPT, 'go on', 'and on']) await session.prompt(words);
  const records = await recordsOf(agent, session.id);
  const misses = records.flatMap((one) =>
    one.kind === 'answer.received' && one.data.miss ? [one.data.miss.cause] : [],
  );
  expect(misses).toEqual(['unknown', 'unknown']);
  await agent.close();
});
