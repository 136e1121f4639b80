// Tests that a call that several transcripts contain counts once, whatever happens to the transcripts.

import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AuditSums } from '../src/index.ts';
import { audit, openProjection } from '../src/index.ts';
import type { Machine } from './claude-transcript.ts';
import { claudeRows, createMachine } from './claude-transcript.ts';

let machine: Machine;
beforeEach(() => {
  machine = createMachine();
});
afterEach(() => machine.close());

const FIRST = claudeRows([{ written: 20_000 }, { read: 20_000, written: 1_000 }, { read: 21_000, written: 1_000 }]);
/** Fork of the first session: its rows, and one call of its own. */
const FORK = [...FIRST, ...claudeRows([{ read: 22_000, written: 500 }], { session: 'bbbbbbbb-0000' })];
/** Cost of the four calls: 22,500 written at $6.25, 63,000 read at $0.50, 12 fresh at $5 and 40 out at $25 a million. */
const FOUR = { calls: 4, input: 85_512, paid: '0.173185' };

const sums = async (): Promise<AuditSums> => (await machine.audited()).sums;

describe('a fork whose transcript repeats the calls of the first', () => {
  beforeEach(async () => {
    machine.write('first.jsonl', FIRST);
    machine.write('fork.jsonl', FORK);
    expect(await sums()).toMatchObject(FOUR);
  });

  test('bills them after the first transcript was cut', async () => {
    machine.write('first.jsonl', FIRST.slice(0, 2));
    expect(await sums()).toMatchObject(FOUR);
  });

  test('bills them after the first transcript was replaced by another session', async () => {
    machine.write('first.jsonl', claudeRows([{ written: 30_000 }], { session: 'cccccccc-0000' }));
    expect(await sums()).toMatchObject({ calls: 5, input: 115_515 });
  });

  test('does not bill them after the first transcript grew, changed its time or became garbage', async () => {
    machine.write('first.jsonl', [...FIRST, ...claudeRows([{ read: 9 }], { session: 'dddddddd-0000' })]);
    expect(await sums()).toMatchObject({ calls: 5 });
    machine.write('first.jsonl', 'garbage\n');
    expect(await sums()).toMatchObject({ calls: 5 });
    machine.write('first.jsonl', FIRST);
    expect(await sums()).toMatchObject(FOUR);
  });

  test('bills them after the first transcript was removed, because the fork contains them', async () => {
    rmSync(join(machine.folder, 'first.jsonl'));
    const found = await machine.audited();
    expect(found.sums).toMatchObject(FOUR);
    expect(found.sessions.map(({ path }) => path)).toEqual([
      join(machine.folder, 'fork.jsonl'),
      join(machine.folder, 'fork.jsonl'),
    ]);
  });
});

test('a removed transcript keeps its rows if no other one has its calls', async () => {
  machine.write('first.jsonl', FIRST);
  await machine.update();
  rmSync(join(machine.folder, 'first.jsonl'));
  expect(await sums()).toMatchObject({ calls: 3 });
});

test('a renamed transcript has the rows under its new name', async () => {
  const path = machine.write('first.jsonl', FIRST);
  await machine.update();
  renameSync(path, join(machine.folder, 'second.jsonl'));
  const { sums: all, sessions } = await machine.audited();
  expect([all.calls, sessions.map((one) => one.path)]).toEqual([3, [join(machine.folder, 'second.jsonl')]]);
});

test('an update after nothing changed reads nothing', async () => {
  machine.write('first.jsonl', FIRST);
  machine.write('fork.jsonl', FORK);
  expect((await machine.update()).filesRead).toBe(2);
  expect(await machine.update()).toEqual({ filesRead: 0, bytesRead: 0, problems: [] });
});

describe('a copied call with another number of output tokens', () => {
  /** Two calls, of which the second read nothing of the 20,000 tokens before it. */
  const withOutput = (output: number): readonly object[] =>
    claudeRows([
      { written: 20_000, output },
      { written: 21_000, output },
    ]);
  /** 41,000 tokens written and 6 fresh, and 200 of output at $25 a million. */
  const PAID = { calls: 2, paid: '0.26128', difference: '0.115' };

  test.each([
    ['more in the copy', 1, 100],
    ['less in the copy', 100, 1],
  ])('bills the larger number once, and the tokens that were paid again once: %s', async (_, first, second) => {
    machine.write('first.jsonl', withOutput(first));
    machine.write('second.jsonl', withOutput(second));
    const { sums: all, causes } = await machine.audited();
    expect(all).toMatchObject(PAID);
    expect(causes).toMatchObject([{ calls: 1, tokens: 20_000, cost: '0.115' }]);
  });

  test('keeps the larger number when one of the transcripts grows', async () => {
    machine.write('first.jsonl', withOutput(1));
    machine.write('second.jsonl', withOutput(100));
    await machine.update();
    machine.write('second.jsonl', [...withOutput(100), { type: 'summary', leafUuid: 'x', summary: 'x' }]);
    expect(await sums()).toMatchObject(PAID);
    machine.write('first.jsonl', [...withOutput(1), { type: 'summary', leafUuid: 'x', summary: 'x' }]);
    expect(await sums()).toMatchObject(PAID);
    machine.write('first.jsonl', withOutput(100));
    expect(await sums()).toMatchObject(PAID);
  });
});

test('several updates at the same time count each call once', async () => {
  for (let index = 0; index < 20; index += 1)
    machine.write(`${index}.jsonl`, claudeRows([{ written: 20_000 }], { session: `${index}-${index}-0000` }));
  machine.write('first.jsonl', FIRST);
  machine.write('fork.jsonl', FORK);
  const others = [1, 2].map(() => openProjection(join(machine.folder, 'audit.sqlite'), 'test'));
  await Promise.all([machine.projection, ...others].map((one) => machine.update(one)));
  for (const one of others) one.close();
  expect(audit(machine.projection, { since: '2000' }).sums).toMatchObject({ sessions: 22, calls: 24 });
});
