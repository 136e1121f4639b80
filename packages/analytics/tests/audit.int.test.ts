// Tests the sums of an audit, the reading of transcripts, and the database of calls.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '@tidemark/files';
import { Decimal } from 'decimal.js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ANALYTICS_ERRORS, AnalyticsError, audit, callsOf, openProjection } from '../src/index.ts';
import type { Machine, MadeCall } from './claude-transcript.ts';
import { claudeRows, createMachine } from './claude-transcript.ts';

let machine: Machine;
beforeEach(() => {
  machine = createMachine();
});
afterEach(() => machine.close());

test('the error codes do not change', () =>
  expect(Object.keys(ANALYTICS_ERRORS)).toEqual(['analytics/busy', 'analytics/full', 'analytics/unusable']));

describe('the sums', () => {
  test('are exact for many calls, and the same in every group', async () => {
    const calls: readonly MadeCall[] = Array.from({ length: 400 }, (_, index) => ({
      read: index * 7,
      written: 1 + (index % 13),
      writtenForHour: index % 3,
      fresh: index % 5,
      output: 1 + index,
      pause: 3_600,
    }));
    machine.write('a.jsonl', claudeRows(calls.slice(0, 200)));
    machine.write('b.jsonl', claudeRows(calls.slice(200), { session: 'bbbbbbbb-0000', folder: '/work/other' }));
    // Prices of Opus 4.6 in US dollars for a million tokens: input 5, read 0.5, written 6.25 and 10, output 25.
    const paid = calls.reduce((sum, { read = 0, written = 0, writtenForHour = 0, fresh = 0, output = 0 }) => {
      const cost = new Decimal(read).times('0.5').plus(new Decimal(written).times('6.25'));
      return sum.plus(cost).plus(writtenForHour * 10 + fresh * 5 + output * 25);
    }, new Decimal(0));
    const { sums, days, projects, agents, models, sessions, causes } = await machine.audited();
    expect(sums).toMatchObject({ calls: 400, sessions: 2, unpriced: 0, paid: paid.div(1e6).toFixed() });
    for (const groups of [days, projects, agents, models, sessions]) {
      for (const name of ['paid', 'hadToCost', 'difference'] as const)
        expect(Decimal.sum(0, ...groups.map((group) => group[name])).toFixed()).toBe(sums[name]);
      expect(groups.reduce((sum, one) => sum + one.calls, 0)).toBe(400);
    }
    expect(Decimal.sum(0, ...causes.map(({ cost }) => cost)).toFixed()).toBe(sums.difference);
    expect(new Decimal(sums.hadToCost).plus(sums.difference).toFixed()).toBe(sums.paid);
  });

  test('name a day, and calls of a session in order of time', async () => {
    machine.write(
      'a.jsonl',
      claudeRows([{ written: 9_000 }, { read: 9_000, pause: 100 }], { start: '2026-11-20T23:59:00.000Z' }),
    );
    const { days, span, sessions } = await machine.audited();
    expect(days.map(({ day, calls }) => [day, calls])).toEqual([
      ['2026-11-20', 1],
      ['2026-11-21', 1],
    ]);
    expect(span).toEqual({ from: '2026-11-20T23:59:20.000Z', to: '2026-11-21T00:01:00.000Z' });
    expect(sessions.flatMap((one) => callsOf(machine.projection, one)).map(({ read }) => read)).toEqual([0, 9_000]);
  });

  test('contain calls from the time on, and not those before it', async () => {
    machine.write('a.jsonl', claudeRows([{ written: 9_000 }, { read: 9_000 }]));
    const calls = async (since: string): Promise<number> => (await machine.audited({ since })).sums.calls;
    expect([
      await calls('2026-11-20T10:00:20.000Z'),
      await calls('2026-11-20T10:00:20.001Z'),
      await calls('2027-01-01T00:00:00.000Z'),
    ]).toEqual([2, 1, 0]);
  });

  test.each([
    ['/work/a', 3],
    ['/work/a/', 3],
    ['/work/a/b', 1],
    ['/work/a%', 0],
    ['/work', 4],
    ['/', 4],
    ['C:\\work', 1],
    ['C:\\work\\p', 1],
    ['C:\\wor', 0],
  ])(
    'of the project %j contain the folder and those below it, and no folder with a longer name',
    async (project, count) => {
      for (const [index, folder] of ['/work/a', '/work/a/b', '/work/a/', '/work/ab', 'C:\\work\\p'].entries())
        machine.write(`${index}.jsonl`, claudeRows([{ written: 9_000 }], { session: `${index}${index}-0000`, folder }));
      expect((await machine.audited({ project })).sums.sessions).toBe(count);
    },
  );

  test('count calls without a price, and contain no money of them', async () => {
    const twice = (model: string): readonly object[] =>
      claudeRows(
        [
          { written: 9_000, model },
          { written: 9_500, model },
        ],
        { session: model },
      );
    machine.write('a.jsonl', twice('claude-unknown-1'));
    machine.write('b.jsonl', twice('claude-opus-4-6'));
    const { sums, models } = await machine.audited();
    expect(sums).toMatchObject({ calls: 4, unpriced: 2, paid: '0.116155' });
    expect(models.map(({ name, paid, unpriced }) => [name, paid, unpriced])).toEqual([
      ['claude-opus-4-6', '0.116155', 0],
      ['claude-unknown-1', '0', 2],
    ]);
  });

  test.each([-5, 1.5, 1e300])('contain no money of a call with %d tokens', async (fresh) => {
    machine.write('a.jsonl', claudeRows([{ written: 9_000 }, { fresh }]));
    expect((await machine.audited()).sums).toMatchObject({ calls: 2, unpriced: 1, input: 9_003 });
  });

  test('contain no money of a call that costs millions, and do not overflow', async () => {
    machine.write('a.jsonl', claudeRows(Array.from({ length: 20 }, () => ({ fresh: 1e12 }))));
    expect((await machine.audited()).sums).toMatchObject({ calls: 20, unpriced: 20, paid: '0', difference: '0' });
  });
});

test("the score counts the losses whose cause the provider's diagnosis names", async () => {
  const lost = (reason: string): MadeCall => ({ written: 21_000, reason });
  machine.write(
    'a.jsonl',
    claudeRows([{ written: 20_000 }, lost('system_changed'), lost('messages_changed'), lost('tools_changed')]),
  );
  const { score, causes } = await machine.audited();
  expect(score).toMatchObject({ agrees: 2, disagrees: 1 });
  expect(causes.map(({ cause, calls }) => [cause, calls])).toEqual([
    ['front-changed', 2],
    ['history-changed', 1],
  ]);
});

describe('an update', () => {
  test('reports a file that is no transcript, does not read it again, and forgets it when it is removed', async () => {
    machine.write('a.jsonl', claudeRows([{ written: 9_000 }]));
    const path = machine.write('b.jsonl', '\0'.repeat(100));
    machine.write('c.jsonl', '');
    expect(await machine.update()).toMatchObject({ filesRead: 2, problems: [{ path, reason: expect.any(String) }] });
    expect((await machine.update()).filesRead).toBe(0);
    expect((await machine.audited()).problems.map((one) => one.path)).toEqual([path]);
    machine.write('b.jsonl', '');
    expect(await machine.audited()).toMatchObject({ problems: [], sums: { calls: 1 } });
  });

  test('counts the lines that cannot be read', async () => {
    const rows = claudeRows([{ written: 9_000 }]).map((row) => JSON.stringify(row));
    machine.write('a.jsonl', [...rows, 'no JSON', '{"cut'].join('\n'));
    expect(await machine.audited()).toMatchObject({ skippedLines: 2, sums: { calls: 1 } });
  });

  test('ends when the signal aborts, keeps what it has read, and continues later', async () => {
    for (const name of ['a', 'b', 'c'])
      machine.write(`${name}.jsonl`, claudeRows([{ written: 9_000 }], { session: name }));
    expect((await machine.update(machine.projection, AbortSignal.abort())).filesRead).toBe(0);
    expect((await machine.audited()).sums.calls).toBe(3);
  });

  test('reads a transcript that grew', async () => {
    const rows = claudeRows([{ written: 9_000 }, { read: 9_000 }]);
    machine.write('a.jsonl', rows.slice(0, 2));
    expect((await machine.audited()).sums.calls).toBe(1);
    machine.write('a.jsonl', rows);
    expect((await machine.audited()).sums.calls).toBe(2);
  });
});

describe('the database', () => {
  const path = (): string => join(machine.folder, 'other.sqlite');

  test('is emptied if its rules changed', async () => {
    machine.write('a.jsonl', claudeRows([{ written: 9_000 }]));
    const first = openProjection(path(), 'one');
    await machine.update(first);
    first.close();
    const calls = (rules: string): number => {
      const opened = openProjection(path(), rules);
      const { sums } = audit(opened, { since: '2000' });
      opened.close();
      return sums.calls;
    };
    expect([calls('one'), calls('two'), calls('one')]).toEqual([1, 0, 0]);
  });

  test('of another program is refused and not changed', () => {
    const other = openDatabase(path(), 0);
    other.exec('CREATE TABLE about (other TEXT); CREATE TABLE call (a INTEGER)');
    other.close();
    const before = readFileSync(path());
    expect(() => openProjection(path(), 'one')).toThrow(AnalyticsError);
    writeFileSync(path(), 'no database, '.repeat(100));
    expect(() => openProjection(path(), 'one')).toThrow(expect.objectContaining({ code: 'analytics/unusable' }));
    expect([before.length > 0, readFileSync(path(), 'utf8').slice(0, 11)]).toEqual([true, 'no database']);
  });

  test('that is damaged in the middle throws `analytics/unusable` from each function', async () => {
    for (let index = 0; index < 40; index += 1)
      machine.write(`${index}.jsonl`, claudeRows([{ written: 9_000 }, { read: 9_000 }], { session: `${index}-x` }));
    const whole = openProjection(path(), 'one');
    await machine.update(whole);
    whole.close();
    const bytes = readFileSync(path());
    bytes.fill(0xff, 4_096 * 2);
    writeFileSync(path(), bytes);
    const unusable = expect.objectContaining({ code: 'analytics/unusable' });
    await expect(async () => {
      const opened = openProjection(path(), 'one');
      try {
        await machine.update(opened);
        audit(opened, { since: '2000' });
      } finally {
        opened.close();
      }
    }).rejects.toThrow(unusable);
  });
});
