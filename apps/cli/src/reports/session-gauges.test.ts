// Tests the gauges in the list of sessions. They match the output of `show`, each log is read only one time, and the
// number of records read is limited.

import { keepSnapshot, openSession } from '@tidemark/agent';
import type { Log, Recorded, SessionId } from '@tidemark/log';
import { LogError, sessionId } from '@tidemark/log';
import { createMemoryStore } from '@tidemark/store-memory';
import { beforeAll, expect, test } from 'vitest';

import { playSession } from '../../tests/played-session.ts';
import { pretendRun, pretendStore } from '../../tests/pretend-run.ts';
import { gaugeCell, gaugeSessions } from './session-gauges.ts';

const memory = createMemoryStore();
let played: SessionId;
let records: readonly Recorded[];

beforeAll(async () => {
  played = sessionId(await playSession(memory));
  records = await Array.fromAsync(memory.read(played));
});

/** Returns a store and a list. The store adds the start position of each read to the list. */
function watched(parts: Partial<Log> = {}): { readonly store: Log; readonly from: readonly number[] } {
  const from: number[] = [];
  const read: Log['read'] = (id, first = 0, to) => (from.push(first), memory.read(id, first, to));
  return { store: { ...memory, read, ...parts }, from };
}

const listed = async (): Promise<Awaited<ReturnType<Log['sessions']>>['sessions']> =>
  (await memory.sessions()).sessions;

test('the gauge matches `show`, in the list and in its JSON output', async () => {
  const store = pretendStore({ ...memory, home: '/nobody/.tidemark' });
  const shown = JSON.parse((await pretendRun(['show', played, '--json'], { store })).out);
  const { sessions } = JSON.parse((await pretendRun(['sessions', '--json'], { store })).out);
  expect(sessions).toEqual([expect.objectContaining({ session: played, gauge: shown.gauge })]);
  expect(shown.gauge.input).toBeGreaterThan(4_000);
  const { out } = await pretendRun(['sessions'], { store });
  const [input, limit] = [shown.gauge.input, shown.gauge.limit].map((tokens) => tokens.toLocaleString('en-US'));
  expect(out).toContain(`\t${input}/${limit} (${Math.floor(100 * shown.gauge.ratio)}%)\t`);
});

test('the gauge is computed only from records after the snapshot, if there is one', async () => {
  const whole = watched();
  const [before] = await gaugeSessions(whole.store, '/nobody', await listed());
  const session = await openSession(memory, played);
  await keepSnapshot(session);
  await session.writer.close();
  const glanced = watched();
  const [behind] = await gaugeSessions(glanced.store, '/nobody', await listed());
  expect([whole.from, glanced.from]).toEqual([[0], [records.length]]);
  expect(behind).toEqual(before);
});

test('a gauge is not read if it would exceed the limit of records, and other gauges are still read', async () => {
  const sessions = await listed();
  const { store } = watched({ getSnapshot: async () => undefined });
  const both = [...sessions, ...sessions];
  const gauged = await gaugeSessions(store, '/nobody', both, records.length + 3);
  expect(gauged.map(({ unread }) => unread)).toEqual([undefined, 'long']);
  expect(gauged.map(gaugeCell)).toEqual([expect.stringMatching(/^[\d,]+\/200,000 \(\d+%\)$/), 'not read']);
});

test('the gauge of a damaged log is missing, and a note names the session', async () => {
  const { store } = watched({
    getSnapshot: async () => undefined,
    read: async function* () {
      yield* memory.read(played, 0, 2);
      throw new LogError('log/damaged', 'damaged at line 3', {});
    },
  });
  expect((await gaugeSessions(store, '/nobody', await listed())).map(gaugeCell)).toEqual(['damaged']);
  const { exit, out, err } = await pretendRun(['sessions'], { store: pretendStore(store) });
  expect([exit, out]).toEqual([0, expect.stringContaining('\tdamaged\t')]);
  expect(err).toBe(`damaged: ${played}: its gauge cannot be read; see \`tidemark doctor\`\n`);
});

test('an unknown size or limit is printed as `unknown`', async () => {
  const [first] = await gaugeSessions(memory, '/nobody', await listed());
  const session = first ?? expect.unreachable();
  const { input: _input, ratio: _ratio, ...gauge } = session.gauge ?? expect.unreachable();
  expect(gaugeCell({ ...session, gauge })).toBe('unknown/200,000');
  expect(gaugeCell({ ...session, gauge: { ...gauge, input: 1_234, limit: 0 } })).toBe('1,234/unknown');
});
