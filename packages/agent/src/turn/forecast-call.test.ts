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
