// Tests the analytics over HTTP: sums, groups, windows, breaks, and unknown values as null.

import type { CallFilter, SessionProjection } from '@tidemark/analytics';
import { createMemoryStore } from '@tidemark/kit';
import type { ScriptedAnswer } from '@tidemark/provider-scripted';
import { describe, expect, test } from 'vitest';
import type { ServerEvent } from './test-server.ts';
import { openTestProjection, openTestServer } from './test-server.ts';

const says = (text: string): ScriptedAnswer => ({
  parts: [{ type: 'text', text }],
  usage: { fresh: 10, read: 900, writes: [{ ttl: '5m', tokens: 90 }], answer: 5 },
});
const ended = ({ event, data }: ServerEvent): boolean => event === 'record' && data.kind === 'turn.ended';

async function play(place: Awaited<ReturnType<typeof openTestServer>>): Promise<string> {
  const { session } = (await place.send('POST', '/sessions', {})).body;
  const { body } = await place.send('POST', `/sessions/${session}/prompt`, { text: 'Say something.' });
  await place.until(session, ended, body.position);
  return session;
}

test('the sums contain each call once, and their groups add up to them', async () => {
  await using place = await openTestServer({ answers: [says('One.'), says('Two.'), says('Three.')] });
  const sessions = [await play(place), await play(place), await play(place)];
  const { body } = await place.send('GET', '/analytics/cache_effectiveness?by=session');
  expect(body.whole).toMatchObject({
    calls: 3,
    tokens: { fresh: 30, read: 2_700, written: 270, answer: 15 },
    hitRate: 0.9,
    writeShare: 0.09,
  });
  expect(body.groups.map(({ name }: { name: string }) => name).toSorted()).toEqual(sessions.toSorted());
  expect(body.groups[0].sums.calls).toBe(1);
  const one = await place.send('GET', `/analytics/cost?session=${sessions[0]}`);
  expect(one.body.whole).toMatchObject({ calls: 1, tokens: { read: 900 } });
  const calls = await place.send('GET', `/sessions/${sessions[0]}/calls`);
  expect(calls.body.calls).toMatchObject([{ step: 0, stream: 'main', tokens: { fresh: 10, read: 900, written: 90 } }]);
});

test('without calls, rates are null, and nothing was paid', async () => {
  await using place = await openTestServer();
  const cache = await place.send('GET', '/analytics/cache_effectiveness');
  expect(cache.body.whole).toMatchObject({ calls: 0, hitRate: null, writeShare: null, coverage: null });
  expect((await place.send('GET', '/analytics/cost')).body.whole).toMatchObject({ paid: { cost: '0', unpriced: 0 } });
  expect((await place.send('GET', '/analytics/breaks')).body).toMatchObject({ breaks: [], next: null });
  expect((await place.send('GET', '/analytics/skills')).body).toMatchObject({ skills: [] });
});

test('a window excludes earlier calls', async () => {
  await using place = await openTestServer({ answers: [says('One.')] });
  await play(place);
  const calls = async (query: string): Promise<number> =>
    (await place.send('GET', `/analytics/cost?${query}`)).body.whole.calls;
  expect(await calls('window=1h')).toBe(1);
  expect(await calls('window=all')).toBe(1);
  expect(await calls('until=2020-01-01')).toBe(0);
  expect(await calls('since=2099-01-01')).toBe(0);
});

describe('a question about the analytics', () => {
  test.each([
    ['since=2026-11-23T09:30:00Z', '2026-11-23T09:30:00.000Z'],
    ['since=2026-11-23T09:30:00.5Z', '2026-11-23T09:30:00.500Z'],
    ['since=2026-11-23T09:30:00.123456789Z', '2026-11-23T09:30:00.123Z'],
    ['since=2026-11-23t09:30:00z', '2026-11-23T09:30:00.000Z'],
    ['since=2026-11-23T09:30:00-01:30', '2026-11-23T11:00:00.000Z'],
    ['since=2026-11-23', '2026-11-23'],
    ['since=2026-11-23&until=2026-11-23', '2026-11-23'],
    ['since=2026-11-23&until=2026-11-23T00:00:00Z', '2026-11-23'],
  ])('with %s begins at %s', async (query, since) => {
    const log = createMemoryStore();
    const projection = await openTestProjection(log);
    const asked: CallFilter[] = [];
    const cost: SessionProjection['cost'] = (filter, by) => {
      asked.push(filter);
      return projection.cost(filter, by);
    };
    await using place = await openTestServer({ log, server: { projection: { ...projection, cost } } });
    expect((await place.send('GET', `/analytics/cost?${query}`)).status).toBe(200);
    expect(asked).toMatchObject([{ since }]);
  });

  test.each([
    'window=7',
    'window=0d',
    'window=7d&since=2026-01-01',
    'since=yesterday',
    'since=2026-13-01',
    'since=2026-02-30',
    'until=2026-11-23T25:00:00.000Z',
    'until=2026-1-1',
    'since=2026-11-23T09:30',
    'since=2026-11-23T09:30:00',
    'since=2026-02-30T09:30:00Z',
    'since=2026-11-23T24:00:00Z',
    'since=9999-12-31T23:59:59-01:00',
    'since=2026-11-23&until=2026-11-22',
    'since=2026-11-23&until=2026-11-22T23:59:59Z',
    'since=2026-11-23T09:30:00Z&until=2026-11-23T09:29:59.999Z',
    'since=2026-11-23T09:30:00Z&until=2026-11-23T10:00:00%2B01:00',
    'by=moon',
    'limit=0',
    'limit=1001',
  ])('with %s is refused', async (query) => {
    await using place = await openTestServer();
    expect(await place.send('GET', `/analytics/breaks?${query}`)).toMatchObject({
      status: 400,
      body: { error: { code: 'server/bad-request' } },
    });
  });
});
