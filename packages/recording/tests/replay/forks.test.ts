// Tests for the branches of a recording. Each branch is replayed as a separate session, in the order of the recorded
// calls. A fork reads the cache entries that its parent wrote.

import { expect, it } from 'vitest';
import { assistant, entry, header, message, text } from '../import/pi-rows.ts';
import { faultsOf } from './must-hold.ts';
import { replayRows } from './replay-rows.ts';
import { usageOf } from './sized-rows.ts';

function promptRow(id: string, parent: string | null, second: number, words = `go ${id}`): object {
  return { ...message('user', { content: [text(words)] }, second), ...linked(id, parent, second) };
}

function answered(id: string, parent: string, second: number, total: number, fields: object = {}): object {
  return {
    ...assistant([text(`answer ${id}`)], { ...usageOf(total, 0), ...fields }, second),
    ...linked(id, parent, second),
  };
}

function linked(id: string, parentId: string | null, second: number): object {
  return { id, parentId, timestamp: new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString() };
}

const long = 'word '.repeat(100_000);
const trunk = [
  header(3),
  promptRow('p1', null, 1, long),
  answered('a1', 'p1', 10, 100_000),
  promptRow('p2', 'a1', 20),
  answered('a2', 'p2', 30, 101_000),
];

it('a fork reads the cache of its parent up to the fork point', async () => {
  const replayed = await replayRows([...trunk, promptRow('p3', 'a1', 40), answered('a3', 'p3', 50, 100_700)]);
  expect(await faultsOf(replayed)).toEqual([]);
  const [, , fork] = replayed.calls;
  expect(fork?.usage).toMatchObject({ read: 100_000, writes: [{ ttl: '5m', tokens: 700 }] });
  expect(replayed.result).toMatchObject({ calls: 3, forced: 0, ratio: 1, breaks: { labelled: 0, unlabelled: 0 } });
  expect(replayed.result.sessions).toHaveLength(2);
  expect(replayed.result.recorded.misses).toMatchObject([{ step: 1 }, { step: 1 }]);
});

it('a fork keeps the reasoning level and the front of its parent', async () => {
  const level = entry('l1', null, { type: 'thinking_level_change', thinkingLevel: 'high' });
  const rows = [
    header(3),
    level,
    promptRow('p1', 'l1', 1, long),
    answered('a1', 'p1', 10, 100_000),
    promptRow('p2', 'a1', 20),
    answered('a2', 'p2', 30, 101_000),
  ];
  const { result, calls } = await replayRows([...rows, promptRow('p3', 'a1', 40), answered('a3', 'p3', 50, 100_700)]);
  expect(result).toMatchObject({ forced: 0, breaks: { labelled: 0 } });
  expect(calls[2]?.usage?.read).toBe(100_000);
});

it('a fork and its parent are driven in the order of their calls if the user switched between them', async () => {
  const rows = [
    ...trunk,
    promptRow('p3', 'a1', 40),
    answered('a3', 'p3', 50, 100_700),
    promptRow('p4', 'a2', 60),
    answered('a4', 'p4', 70, 102_000),
  ];
  const replayed = await replayRows([...rows, promptRow('p5', 'a3', 80), answered('a5', 'p5', 90, 101_900)]);
  expect(await faultsOf(replayed)).toEqual([]);
  expect(replayed.calls.map((call) => call.recorded.input)).toEqual([100_000, 101_000, 100_700, 102_000, 101_900]);
  expect(replayed.calls.map((call) => call.usage?.read)).toEqual([0, 100_000, 100_000, 101_000, 100_700]);
  expect(replayed.result.expiringRatio).toBe(1);
});

it('a fork that starts long after the calls of its parent finds only expired entries', async () => {
  const rows = [
    ...trunk,
    promptRow('p4', 'a2', 5_000),
    answered('a4', 'p4', 5_001, 102_000),
    promptRow('p3', 'a1', 6_000),
    answered('a3', 'p3', 6_001, 100_700),
  ];
  const replayed = await replayRows(rows);
  expect(await faultsOf(replayed)).toEqual([]);
  expect(replayed.result.misses.map((miss) => miss.cause)).toEqual(['expired', 'expired']);
});
