// Tests the forecast of a fork whose sibling has the shared history in the cache.

import { verifySession } from '@tidemark/agent';
import { createAgent } from '@tidemark/kit';
import type { AgentSession } from '@tidemark/kit';
import { sessionId, timestamp } from '@tidemark/log';
import { anthropicEncoder, createAnthropicProvider } from '@tidemark/provider-anthropic';
import { createSimulator, totalInput } from '@tidemark/simulator';
import { createMemoryBackend, createMemoryStore } from '@tidemark/store-memory';
import { expect, onTestFinished, test } from 'vitest';

const MINUTE = 60_000;

/** Plays a session whose history is not in the cache any more, and returns functions that fork it. */
async function forkedSession() {
  let now = Date.UTC(2026, 10, 20, 12);
  let names = 0;
  const simulator = createSimulator({ clock: () => now, onRequest: () => ({ answer: { text: 'So it is.' } }) });
  const server = await simulator.listen();
  const backend = createMemoryBackend();
  const store = createMemoryStore(backend);
  const agent = createAgent({
    model: 'claude-sonnet-5-5',
    provider: createAnthropicProvider({ apiKey: 'sk-test', baseURL: server.url }),
    store,
    cache: { ttl: '5m', rewriteNotice: {} },
    host: {
      clock: {
        now: () => timestamp(new Date(now).toISOString()),
        elapsed: () => now,
        wait: (_ms, signal) => new Promise((end) => signal?.addEventListener('abort', () => end(), { once: true })),
        random: () => 0.5,
        newName: () => `fork-${(names += 1)}`,
      },
    },
  });
  onTestFinished(async () => {
    await agent.close();
    await server.close();
  });
  const session = await agent.open();
  for (const words of ['first ', 'second ']) await session.prompt(words.repeat(4_000));
  now += 20 * MINUTE;
  const lastUsage = () => simulator.calls.at(-1)?.usage;
  const forecastAndSend = async (fork: AgentSession, words: string) => {
    const tokens = (await fork.forecast(words))?.tokens;
    await fork.prompt(words);
    const usage = lastUsage();
    now += 10_000;
    return { read: tokens?.read, counted: usage?.cache_read_input_tokens, input: usage && totalInput(usage) };
  };
  return { session, store, backend, forecastAndSend, pass: (ms: number) => void (now += ms) };
}

test('the forecast of a second fork from the same place is the bill, because the first fork wrote the history again', async () => {
  const { session, store, forecastAndSend } = await forkedSession();
  const first = await forecastAndSend(await session.fork({ beforePrompt: 2 }), 'One way.');
  expect([first.read, first.counted]).toEqual([0, 0]);
  const fork = await session.fork({ beforePrompt: 2 });
  const second = await forecastAndSend(fork, 'Another way.');
  expect(second.counted).toBeGreaterThan(4_000);
  expect(second.read).toBe(second.counted);
  const records = await Array.fromAsync(store.read(sessionId(fork.id)));
  const sent = records.findLast((record) => record.kind === 'request.prepared');
  expect(sent?.data).toMatchObject({ cached: { section: 'messages' }, forecast: { read: second.counted } });
  const { differences } = await verifySession(store, sessionId(fork.id), {
    encoders: (revision) => (revision === anthropicEncoder.revision ? anthropicEncoder : undefined),
  });
  expect(differences).toEqual([]);
});

test('a session that waited reads the history that its fork kept in the cache', async () => {
  const { session, forecastAndSend, pass } = await forkedSession();
  await forecastAndSend(await session.fork(), 'Go on there.');
  pass(MINUTE);
  const own = await forecastAndSend(session, 'Go on here.');
  expect(own.counted).toBeGreaterThan(4_000);
  expect(own.read).toBe(own.counted);
});

test('an expired entry or a deleted index leads to a forecast without the sibling', async () => {
  const { session, backend, forecastAndSend, pass } = await forkedSession();
  await forecastAndSend(await session.fork({ beforePrompt: 2 }), 'One way.');
  pass(6 * MINUTE);
  const late = await forecastAndSend(await session.fork({ beforePrompt: 2 }), 'Another way.');
  expect([late.read, late.counted]).toEqual([0, 0]);
  backend.shared.clear();
  const unknown = await forecastAndSend(await session.fork({ beforePrompt: 2 }), 'A third way.');
  expect(unknown.read).toBe(0);
  expect(unknown.counted).toBeGreaterThan(4_000);
});
