import { createAgent, createMemoryStore } from '@tidemark/kit';
import { createScriptedProvider } from '@tidemark/provider-scripted';
import { expect, onTestFinished, test } from 'vitest';

import { readHistory } from './session-history.ts';

const usage = { fresh: 0, read: 0, writes: [{ ttl: '5m' as const, tokens: 5_000 }], answer: 20 };

test('the cost of a fork begins with the cost of the sessions before it, and never falls', async () => {
  const store = createMemoryStore();
  const provider = createScriptedProvider({ respond: () => ({ parts: [{ type: 'text', text: 'Yes.' }], usage }) });
  const agent = createAgent({ model: 'claude-opus-5-5', provider, store });
  onTestFinished(() => agent.close());
  const session = await agent.open();
  await session.prompt('one');
  const first = await Array.fromAsync(store.read(session.id));
  await session.prompt('two');
  const paid = (await readHistory(store, session.id)).facts.cost;
  const whole = await session.fork();
  expect((await readHistory(store, whole.id)).facts.cost).toBe(paid);
  const rewound = await session.fork({ at: first.at(-1)?.position ?? 0 });
  expect((await readHistory(store, rewound.id)).facts.cost).toBe(paid);
});
