import { scriptedEncoder } from '@tidemark/provider-scripted';
import { expect, test } from 'vitest';
import type { Small } from '../../tests/small-session.ts';
import { ID, answer, begin, prepare, prompt } from '../../tests/small-session.ts';
import { verifySession } from '../audit/rebuild.ts';
import type { Lasting } from '../ports/runtime.ts';
import { commit } from '../session/session.ts';
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

test('a session begins with a lifetime of five minutes, and the call after its second pause writes for an hour', async () => {
  const small = await begin();
  expect(lives(await turn(small, 0, 'auto', LONG))).toEqual(['5m']);
  expect(lives(await turn(small, MINUTE))).toEqual(['5m']);
  const first = await turn(small, 21 * MINUTE);
  expect(first.outlook.loss?.cause).toBe('expired');
  expect(lives(first)).toEqual(['5m']);
  const second = await turn(small, 41 * MINUTE);
  expect(second.outlook.loss?.cause).toBe('expired');
  expect(lives(second)).toEqual(['1h']);
  const again = await turn(small, 81 * MINUTE);
  expect(again.outlook).toMatchObject({ loss: undefined, gone: undefined });
  expect(again.record.data.forecast.read).toBeGreaterThan(5_000);
});

test('a session with one long early pause pays for one rewrite, and not the higher price of one-hour entries', async () => {
  const small = await begin();
  await turn(small, 0, 'auto', LONG);
  for (const at of [40, 41, 42, 43]) expect(lives(await turn(small, at * MINUTE))).toEqual(['5m']);
});

test('after a switch to another model the history is written for five minutes again, because the switch breaks the cached prefix', async () => {
  const small = await begin();
  for (const at of [0, 20, 40]) await turn(small, at * MINUTE, 'auto', LONG);
  await commit(small.session, [prompt('and now?', 41 * MINUTE)]);
  const same = await prepare(small, 41 * MINUTE);
  await answer(small, same, undefined, 41 * MINUTE);
  expect(lives(same)).toEqual(['1h']);
  await commit(small.session, [prompt('and you?', 42 * MINUTE)]);
  const changed = await prepare(small, 42 * MINUTE, { model: 'claude-opus-4-6' });
  expect(changed.opened?.data.cause).toBe('model');
  expect(lives(changed)).toEqual(['5m']);
});

test('a session writes entries of five minutes after a pause of ten hours', async () => {
  const small = await begin();
  await turn(small, 0, 'auto', LONG);
  expect(lives(await turn(small, 600 * MINUTE))).toEqual(['5m']);
});

test('a fixed lifetime applies to every marker and does not depend on the pauses', async () => {
  for (const ttl of ['5m', '1h'] as const) {
    const small = await begin();
    for (const at of [0, 20, 40, 640, 641]) expect(lives(await turn(small, at * MINUTE, ttl, LONG))).toEqual([ttl]);
  }
});

test('the own words of a side call get a lifetime of five minutes', async () => {
  const small = await begin();
  await turn(small, 0, 'auto', LONG);
  await turn(small, 20 * MINUTE);
  await turn(small, 40 * MINUTE);
  const beside = { stream: 'side/title', extra: [{ type: 'text', text: 'A name?' }], history: 'main' } as const;
  const { record } = await prepare(small, 41 * MINUTE, {}, { beside });
  expect(record.data.markers.map(({ ttl }) => ttl).slice(-2)).toEqual(['1h', '5m']);
});

test('the chosen lifetimes are in the log, and the bodies are rebuilt from it (L2)', async () => {
  const small = await begin();
  const chosen = [];
  for (const at of [0, 20, 40, 661, 662]) chosen.push(lives(await turn(small, at * MINUTE, 'auto', LONG)).join());
  expect(new Set(chosen)).toEqual(new Set(['5m', '1h']));
  const { requests, differences } = await verifySession(small.log, ID, { encoders: () => scriptedEncoder, full: true });
  expect({ requests, differences }).toEqual({ requests: 5, differences: [] });
});
