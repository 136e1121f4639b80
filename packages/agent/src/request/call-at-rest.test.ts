// Tests the state of the next request of a session that is read without a runtime. Compares it with the request that a
// prompt then sends.

import { gaugeOf } from '@tidemark/context';
import type { RequestPrepared } from '@tidemark/log';
import { timestamp } from '@tidemark/log';
import { scriptedEncoder } from '@tidemark/provider-scripted';
import { expect, test } from 'vitest';
import type { Live } from '../../tests/small-live.ts';
import { answering, calls, goLive, says } from '../../tests/small-live.ts';
import { ID, row } from '../../tests/small-session.ts';
import { made } from '../../tests/small-work.ts';
import type { ContextSource } from '../ports/context-source.ts';
import { readFold } from '../session/session.ts';
import { stateOfNextCall } from './call-at-rest.ts';

const ROW = row('claude-sonnet-4-5');
const NEXT = 'On.';

/** Returns the input of the next request at rest, before and after the changes that wait for it. */
async function inputAtRest({ log }: Live, at: string): Promise<{ readonly before: number; readonly next: number }> {
  const { fold } = await readFold(log, ID);
  const settings = { capabilities: ROW, encoder: scriptedEncoder, outputLimit: 1_000, at: timestamp(at) };
  const state = await stateOfNextCall({ ...fold, session: ID, log }, settings);
  return { before: gaugeOf(fold.state, ROW).input ?? 0, next: gaugeOf(state, ROW).input ?? 0 };
}

/** Sends a short prompt, and returns the size of its request. */
async function sentSize({ live, records }: Live): Promise<RequestPrepared['size']> {
  await live.prompt(NEXT);
  const record = (await records()).findLast(({ kind }) => kind === 'request.prepared');
  return record?.kind === 'request.prepared' ? record.data.size : undefined;
}

/** Tokens of the short prompt, and the room for rounding. */
const PROMPT = 8;

test('the next request contains a waiting compaction, and the notes that the compaction drops', async () => {
  const source: ContextSource = {
    name: 'weather',
    revision: () => 'one',
    render: () => 'It rains in the harbour. '.repeat(100),
    affectedBy: () => false,
  };
  const answers = [says('Read.'), says('Done.'), says('Yes.')];
  const session = await goLive({ provider: answering(...answers), runtime: { sources: [source] } });
  await session.live.prompt('A long line of the order.\n'.repeat(2_000));
  await session.live.prompt('And now?');
  await session.live.compact({ tailTokens: 500 });
  const records = await session.records();
  const { before, next } = await inputAtRest(session, records.at(-1)?.at ?? '');
  expect(await session.records()).toEqual(records);
  const sent = (await sentSize(session))?.input ?? 0;
  expect(before).toBeGreaterThan(2 * sent);
  expect(Math.abs(sent - next)).toBeLessThanOrEqual(PROMPT);
});

test('the next request contains the pruning that the runtime applies after the cache entry has expired', async () => {
  const look = made('read', () => ({ text: 'one line of the file\n'.repeat(500) }));
  const back = made('history_read', () => ({ text: '' }));
  const looks = Array.from({ length: 14 }, (_, index) => calls([`c${index}`, 'read', '{"path":"long.txt"}']));
  const answers = [...looks, ...Array.from({ length: 6 }, () => says('Done.'))];
  const session = await goLive({ provider: answering(...answers), runtime: { tools: [look, back] } });
  for (const words of ['Look.', 'And now?', 'And then?', 'And after?', 'So?']) await session.live.prompt(words);
  const at = Date.parse((await session.records()).at(-1)?.at ?? '');
  const warm = await inputAtRest(session, new Date(at).toISOString());
  expect(warm.next).toBe(warm.before);
  session.pass(600_000);
  const { before, next } = await inputAtRest(session, new Date(at + 600_000).toISOString());
  const sent = (await sentSize(session))?.input ?? 0;
  expect(await session.kinds()).toContain('history.pruned');
  expect(before).toBeGreaterThan(2 * sent);
  expect(Math.abs(sent - next)).toBeLessThanOrEqual(PROMPT);
});
