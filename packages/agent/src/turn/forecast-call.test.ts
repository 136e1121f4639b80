// Tests the work of a forecast, and that a forecast leaves the session unchanged. Forecasts are compared with bills in
// tests/scenarios.

import type { Provider } from '@tidemark/model';
import { expect, test } from 'vitest';
import type { Live } from '../../tests/small-live.ts';
import { answering, goLive, says } from '../../tests/small-live.ts';
import { AgentError } from '../errors.ts';
import type { ContextSource } from '../ports/context-source.ts';

/** Returns a provider, and the number of spans that its encoder has converted to blocks. */
function countingSpans(provider: Provider): { readonly provider: Provider; readonly lowered: () => number } {
  let lowered = 0;
  const { encoder } = provider;
  const counting: Provider['encoder'] = {
    ...encoder,
    lowerSpan: (...given) => {
      lowered += 1;
      return encoder.lowerSpan(...given);
    },
  };
  return { provider: { ...provider, encoder: counting }, lowered: () => lowered };
}

async function talk({ live }: Live, turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await live.prompt(`Question ${turn}`);
}

const answers = (count: number) => Array.from({ length: count }, (_, turn) => says(`Answer ${turn}`));

test('a forecast converts only the content after the last request, and the next request none of the earlier content', async () => {
  const { provider, lowered } = countingSpans(answering(...answers(41)));
  const session = await goLive({ provider });
  await talk(session, 40);
  const before = lowered();
  await session.live.forecast('Question 40');
  // The last answer, and the prompt twice: now, and after the cache entry has expired.
  expect(lowered() - before).toBe(3);
  await session.live.forecast('Question 40');
  expect(lowered() - before).toBe(5);
  await session.live.prompt('Question 40');
  expect(lowered() - before).toBe(6);
});

test('a forecast contains the note that a prompt would record, and does not record it', async () => {
  let revision = 'one';
  const source: ContextSource = {
    name: 'weather',
    revision: () => revision,
    render: () => 'It rains in the harbour. '.repeat(revision === 'one' ? 1 : 100),
    affectedBy: () => false,
  };
  const session = await goLive({ provider: answering(...answers(2)), runtime: { sources: [source] } });
  await talk(session, 1);
  const records = await session.records();
  const short = await session.live.forecast();
  revision = 'two';
  const long = await session.live.forecast();
  expect((long?.gauge.input ?? 0) - (short?.gauge.input ?? 0)).toBeGreaterThan(300);
  expect(await session.records()).toEqual(records);
  await talk(session, 1);
  expect((await session.kinds()).filter((kind) => kind === 'context.noted')).toHaveLength(2);
});

test('a closed session has no forecast', async () => {
  const session = await goLive({ provider: answering() });
  await session.live.close();
  await expect(session.live.forecast()).rejects.toThrow(AgentError);
});

test('a forecast contains the attachments of a prompt as the prompt would be recorded, and stores nothing', async () => {
  const session = await goLive({ provider: answering(...answers(2)) });
  await talk(session, 1);
  const data = Buffer.from('one line of the output\n'.repeat(20_000));
  const words = [
    { type: 'text', text: 'Look.' },
    { type: 'attachment', name: 'Output', data },
  ] as const;
  const next = await session.live.forecast(words);
  await session.live.prompt(words);
  const paid = (await session.records()).findLast(({ kind }) => kind === 'answer.received');
  expect(paid?.kind).toBe('answer.received');
  const prepared = (await session.records()).findLast((record) => record.kind === 'request.prepared');
  const { fresh = 0, read = 0, written = 0 } = next?.tokens ?? {};
  expect(fresh + read + written).toBeGreaterThan(5_000);
  expect(prepared?.kind === 'request.prepared' && prepared.data.forecast).toMatchObject({ fresh, read });
});

test('`largePrompt` contains the input that the prompt adds, from the threshold for notices on', async () => {
  const session = await goLive({
    provider: answering(...answers(1)),
    runtime: { rewriteNotice: { tokens: 1_000 } },
  });
  await talk(session, 1);
  expect((await session.live.forecast('word '.repeat(500)))?.largePrompt).toBeUndefined();
  const { largePrompt } = (await session.live.forecast('word '.repeat(2_000))) ?? {};
  expect(largePrompt?.tokens).toBeGreaterThanOrEqual(1_000);
  expect(largePrompt?.tokens).toBeLessThan(5_000);
});

/** Returns the input of the last request as it was expected when it was recorded. */
async function recordedInput({ records }: Live): Promise<number | undefined> {
  const prepared = (await records()).findLast((record) => record.kind === 'request.prepared');
  return prepared?.kind === 'request.prepared' ? prepared.data.size?.input : undefined;
}

test('a forecast contains the notifications that will come before the prompt', async () => {
  const session = await goLive({ provider: answering(...answers(2)) });
  await talk(session, 1);
  const notification = { source: 'plan-mode', provenance: 'test', body: 'End your answer with a plan. '.repeat(20) };
  const without = await session.live.forecast('Question 0');
  const next = await session.live.forecast('Question 0', { notifications: [notification] });
  expect((next?.gauge.input ?? 0) - (without?.gauge.input ?? 0)).toBeGreaterThan(100);
  await session.live.notify(notification);
  await talk(session, 1);
  expect(next?.gauge.input).toBe(await recordedInput(session));
  // @ts-expect-error A caller without types can pass anything.
  await expect(session.live.forecast('.', { notifications: [{}] })).rejects.toThrow(AgentError);
});

test('a forecast contains the note about the mode of the prompt, also if no record names this mode yet', async () => {
  const source: ContextSource = {
    name: 'mode',
    revision: ({ mode }) => mode,
    render: ({ mode }) => `${mode} `.repeat(mode === 'auto' ? 10 : 100),
    affectedBy: () => false,
  };
  const session = await goLive({ provider: answering(...answers(2)), runtime: { sources: [source] } });
  const first = await session.live.forecast('Question 0');
  await talk(session, 1);
  expect(first?.gauge.input).toBe(await recordedInput(session));
  const next = await session.live.forecast('Question 0', { mode: 'ask' });
  await session.live.setMode('ask');
  await talk(session, 1);
  expect(next?.gauge.input).toBe(await recordedInput(session));
});
