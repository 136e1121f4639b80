import { scriptedEncoder } from '@tidemark/provider-scripted';
import { expect, test } from 'vitest';
import { answer, begin, ID, prepare, prompt } from '../../tests/small-session.ts';
import type { Small } from '../../tests/small-session.ts';
import { verifySession } from '../audit/verify.ts';
import { commit } from '../session/session.ts';
import type { Lasting } from './call-life.ts';
import type { Prepared } from './prepare.ts';

const LONG = 'word '.repeat(8000);
const MINUTE = 60;

async function turn(small: Small, at: number, ttl: Lasting = 'auto', text = 'and now?'): Promise<Prepared> {
  await commit(small.session, [prompt(text, at)]);
  const prepared = await prepare(small, at, {}, { ttl });
  await answer(small, prepared, undefined, at);
  return prepared;
}

const lives = ({ record }: Prepared): readonly string[] => [...new Set(record.data.markers.map(({ ttl }) => ttl))];

test('a session begins short, and the call behind its first pause writes long', async () => {
  const small = await begin();
  expect(lives(await turn(small, 0, 'auto', LONG))).toEqual(['5m']);
  expect(lives(await turn(small, MINUTE))).toEqual(['5m']);
  const back = await turn(small, 21 * MINUTE);
  expect(back.outlook.loss?.cause).toBe('expired');
  expect(lives(back)).toEqual(['1h']);
  const again = await turn(small, 61 * MINUTE);
  expect(again.outlook).toMatchObject({ loss: undefined, expired: false });
  expect(again.record.data.forecast.read).toBeGreaterThan(5_000);
});

test('after a night it writes short', async () => {
  const small = await begin();
  await turn(small, 0, 'auto', LONG);
  expect(lives(await turn(small, 600 * MINUTE))).toEqual(['5m']);
});

test('a fixed life is what every marker gets, whatever the session has shown', async () => {
  for (const ttl of ['5m', '1h'] as const) {
    const small = await begin();
    for (const at of [0, 20, 40, 640, 641]) expect(lives(await turn(small, at * MINUTE, ttl, LONG))).toEqual([ttl]);
  }
});

test('the words of a side call live short', async () => {
  const small = await begin();
  await turn(small, 0, 'auto', LONG);
  await turn(small, 20 * MINUTE);
  const beside = { stream: 'side/title', extra: [{ type: 'text', text: 'A name?' }], history: 'main' } as const;
  const { record } = await prepare(small, 21 * MINUTE, {}, { beside });
  expect(record.data.markers.map(({ ttl }) => ttl).slice(-2)).toEqual(['1h', '5m']);
});

test('what was chosen is in the log, and the bodies are made again from it (L2)', async () => {
  const small = await begin();
  for (const at of [0, 20, 21, 661, 662]) await turn(small, at * MINUTE, 'auto', LONG);
  const { requests, differences } = await verifySession(small.log, ID, { encoders: () => scriptedEncoder, full: true });
  expect({ requests, differences }).toEqual({ requests: 5, differences: [] });
});
