// Hostile answers of a server, at each call of a turn, on each wire over HTTP. The turn continues or ends with an
// error, and the tool runs at most once. The log stays small, contains the server's text at most once, and verifies.
// The next prompt is answered. An interrupt ends a turn in which an endless answer arrives. By default each answer is
// tried at one call on one wire, and `npm run torture` tries all calls and wires.

import { createServer } from 'node:http';
import { createAgent, defineTool } from '@tidemark/kit';
import type { Agent } from '@tidemark/kit';
import type { Recorded, SessionId } from '@tidemark/log';
import { THIS_MACHINE, verifySession } from '@tidemark/agent';
import type { Reply } from '@tidemark/provider-wire/contract';
import { dripping, gzipBomb, manyHeaders, pageTitled, redirectTo, sending } from '@tidemark/provider-wire/contract';
import { createSimulator } from '@tidemark/simulator';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Wire } from './provider-wires.ts';
import { WIRES } from './provider-wires.ts';
import { PATIENCE, WHOLE, tally } from './tally.ts';

const MIB = 1024 * 1024;
/** Maximum length of a short session's log in characters of JSON, including the server's text in it. */
const SMALL_LOG = 200_000;
/** Idle timeout in milliseconds. It is so long that a slow answer of a busy machine never exceeds it. */
const IDLE_MS = 600_000;
const COMMENTS = Buffer.from(': nothing\n\n'.repeat(5_000));
const OVERSIZED = 'provider/oversized';
const ADDRESS = 'provider/address';

interface Answer {
  readonly name: string;
  readonly reply: Reply;
  /** Code of the error that ends the turn. Undefined if the call is repeated instead. */
  readonly code?: string;
  /** Idle timeout of a call in milliseconds, set for an answer that only the idle timeout ends. Default: `IDLE_MS`. */
  readonly idleMs?: number;
}

/** Number of requests that followed a redirect. It must stay 0. */
let elsewhere = 0;

const ANSWERS: readonly Answer[] = [
  { name: 'a refusal of 100 MB', reply: sending({ status: 400, bytes: 100 * MIB }), code: 'provider/invalid' },
  { name: 'an error of 100 MB', reply: sending({ status: 500, bytes: 100 * MIB }) },
  { name: 'an endless error', reply: sending({ status: 500 }) },
  { name: 'an error that drips without an end', reply: dripping(500), idleMs: 500 },
  { name: 'an endless line', reply: sending({ before: 'data: ' }), code: OVERSIZED },
  {
    name: 'an event of 50 MB',
    reply: sending({ before: 'data: "', bytes: 50 * MIB, after: '"\n\n' }),
    code: OVERSIZED,
  },
  { name: 'endless comments', reply: sending({ piece: COMMENTS }), code: OVERSIZED },
  { name: 'a gzip bomb as JSON', reply: gzipBomb('application/json'), code: OVERSIZED },
  { name: 'a gzip bomb as a stream', reply: gzipBomb('text/event-stream'), code: OVERSIZED },
  { name: '100,000 headers', reply: manyHeaders(), code: OVERSIZED },
  { name: 'a page of HTML', reply: pageTitled('Sign in'), code: ADDRESS },
  {
    name: 'a wait of 1e308 seconds',
    reply: sending({ status: 429, headers: { 'retry-after': '1e308' }, before: '{}', bytes: 0 }),
    code: 'provider/rate-limited',
  },
  { name: 'a redirect', reply: (response) => redirectTo(`${origin}/elsewhere`)(response), code: ADDRESS },
];

/** URL of the hostile server in the running case. One variable is enough because the cases run one after another. */
let origin = '';

/** Indexes of the calls that receive the hostile answer: the first call of a turn, and the call after a tool result. */
const CALLS = [0, 1] as const;
const OVER_HTTP = WIRES.filter(({ sockets }) => !sockets);

interface Case {
  readonly wire: Wire;
  readonly call: number;
  readonly answer: Answer;
}

const ALL: readonly Case[] = ANSWERS.flatMap((answer) =>
  OVER_HTTP.flatMap((wire) => CALLS.map((call): Case => ({ wire, call, answer }))),
);
const CASES = WHOLE
  ? ALL
  : ANSWERS.flatMap((answer, index) => ofAnswer(answer)[(3 * index) % ofAnswer(answer).length] ?? []);

function ofAnswer(answer: Answer): readonly Case[] {
  return ALL.filter((one) => one.answer === answer);
}

const counted = { tried: 0, completed: 0, ended: 0, interrupted: 0, largest: 0 };

afterAll(() => {
  tally('hostile providers', {
    'wires over HTTP': OVER_HTTP.length,
    'kinds of answer': ANSWERS.length,
    cases: counted.tried,
    'went on to the end': counted.completed,
    'ended with a reason': counted.ended,
    'ended by an interrupt': counted.interrupted,
    'bytes of the largest log': counted.largest,
    'redirects followed': elsewhere,
  });
});

/**
 * Starts a server between the agent and a simulator. The server answers a call itself if `strikes` returns a reply for
 * the index of the call, and forwards all other calls to the simulator.
 */
async function front(
  strikes: (call: number) => Reply | undefined,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const simulator = createSimulator({
    onRequest: ({ toolResults, lastUserText }) => ({
      answer:
        toolResults.length === 0 && lastUserText.includes('Look')
          ? { text: 'I look.', calls: [{ id: 'call_a', name: 'work', arguments: { piece: 'a' } }] }
          : { text: 'Done.' },
    }),
  });
  const listening = await simulator.listen();
  let calls = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.url === '/elsewhere') elsewhere += 1;
      const reply = strikes(calls);
      calls += 1;
      if (reply !== undefined) return reply(response);
      const headers = new Headers();
      for (const [name, value] of Object.entries(request.headers))
        if (typeof value === 'string' && !['host', 'connection', 'content-length'].includes(name))
          headers.set(name, value);
      void fetch(`${listening.url}${request.url}`, { method: 'POST', headers, body: Buffer.concat(chunks) }).then(
        async (answer) => {
          response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
          response.end(await answer.text());
        },
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
    await listening.close();
  };
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, close };
}

function agentAt(
  { model, provider }: Wire,
  { url, ran, idleMs = IDLE_MS }: { readonly url: string; readonly ran: string[]; readonly idleMs?: number },
): Agent {
  const work = defineTool({
    name: 'work',
    description: 'Works on a piece.',
    input: z.object({ piece: z.string() }),
    effect: 'write',
    run: (_input, { call }) => {
      ran.push(call);
      return 'done';
    },
  });
  return createAgent({
    model,
    provider: provider(url, idleMs),
    tools: [work],
    maxOutputTokens: 1_000,
    permissions: { mode: 'auto' },
    host: { clock: { ...THIS_MACHINE, wait: (ms, signal) => THIS_MACHINE.wait(ms / 1_000, signal) } },
  });
}

async function recordsOf(agent: Agent, session: SessionId): Promise<readonly Recorded[]> {
  const records: Recorded[] = [];
  for await (const record of agent.log.read(session)) records.push(record);
  return records;
}

/** Checks that the log is small, contains the server's text at most once, and that all its requests can be rebuilt. */
async function expectSound(agent: Agent, session: SessionId, { encoder }: Wire): Promise<void> {
  const log = JSON.stringify(await recordsOf(agent, session));
  counted.largest = Math.max(counted.largest, log.length);
  expect(log.length).toBeLessThan(SMALL_LOG);
  expect(log.match(/a{1000,}/g)?.length ?? 0).toBeLessThan(2);
  expect(await verifySession(agent.log, session, { encoders: () => encoder })).toMatchObject({
    differences: [],
    breaks: [],
    problems: [],
  });
}

describe('a hostile server', () => {
  it.each(CASES.map((one) => [one.answer.name, one.wire.name, one.call + 1, one] as const))(
    'that sends %s (%s, call %d) does not end the session',
    PATIENCE,
    async (_name, _wire, _call, { wire, call, answer }) => {
      counted.tried += 1;
      const { url, close } = await front((at) => (at === call ? answer.reply : undefined));
      origin = url;
      const ran: string[] = [];
      const agent = agentAt(wire, { url, ran, idleMs: answer.idleMs ?? IDLE_MS });
      try {
        const session = await agent.open();
        const ended = await session.prompt('Look.');
        if (answer.code === undefined) expect(ended).toMatchObject({ outcome: 'completed', text: 'Done.' });
        else expect(ended).toMatchObject({ outcome: 'failed', error: { code: answer.code } });
        expect(await session.prompt('Are you there?')).toMatchObject({ outcome: 'completed' });
        expect(ran.length).toBeLessThan(2);
        expect(elsewhere).toBe(0);
        await expectSound(agent, session.id, wire);
        counted[answer.code === undefined ? 'completed' : 'ended'] += 1;
      } finally {
        await agent.close();
        await close();
      }
    },
  );
});

/** Answers that arrive for so long that an interrupt can end the turn meanwhile. */
const ENDLESS = ANSWERS.filter(
  ({ name }) => name.includes('endless') || name.includes('drips') || name.includes('bomb'),
);

describe('an interrupt', () => {
  it.each(
    (WHOLE ? OVER_HTTP : OVER_HTTP.slice(0, 1)).flatMap((wire) =>
      ENDLESS.map((one) => [one.name, wire.name, one, wire] as const),
    ),
  )('ends a turn while %s arrives (%s)', PATIENCE, async (_name, _wire, { reply }, wire) => {
    const arrived = Promise.withResolvers<void>();
    const { url, close } = await front(() => (response) => {
      reply(response);
      arrived.resolve();
    });
    const agent = agentAt(wire, { url, ran: [] });
    try {
      const session = await agent.open();
      const turn = session.prompt('Look.');
      await arrived.promise;
      await session.interrupt();
      expect(await turn).toMatchObject({ outcome: expect.stringMatching(/interrupted|failed/) });
      await expectSound(agent, session.id, wire);
      counted.interrupted += 1;
    } finally {
      await agent.close();
      await close();
    }
  });
});
