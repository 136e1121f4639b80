// Tests `tidemark move` between two folders. `packages/stores` tests the move to a database.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { openNdjsonStore } from '@tidemark/store-ndjson';
import { afterEach, beforeEach, expect, test } from 'vitest';

import type { Ran } from '../../tests/pretend-run.ts';
import { pretendRun } from '../../tests/pretend-run.ts';
import type { Stage } from '../../tests/scenario.ts';
import { openStage } from '../../tests/scenario.ts';

let stage: Stage;
let id: string;
let other: string;

beforeEach(async () => {
  stage = openStage();
  other = join(stage.folder, 'other');
  await tidemark('say hello', '--provider', 'simulator');
  const [session] = (await openNdjsonStore({ home: stage.home }).sessions()).sessions;
  id = session?.session ?? expect.unreachable();
});

afterEach(() => stage.clear());

const tidemark = (...args: readonly string[]): Promise<Ran> =>
  pretendRun(args, {
    folder: stage.folder,
    environment: { PATH: process.env['PATH'], TIDEMARK_HOME: stage.home },
  });

const logIn = (home: string): string => readFileSync(join(home, 'sessions', id, 'log.ndjson'), 'utf8');

test('`tidemark move` moves a session with its fork, shows it before, and it verifies in the other folder', async () => {
  const before = logIn(stage.home);
  expect((await tidemark('fork', id)).exit).toBe(0);
  const refused = await tidemark('move', id, '--to', 'other');
  expect([refused.exit, refused.err.match(/fork of/g)?.length]).toEqual([2, 1]);
  expect(refused.err).toContain('add `--yes`');
  expect(logIn(stage.home)).toBe(before);

  const moved = await tidemark('move', id, '--to', 'other', '--yes');
  expect([moved.exit, logIn(other)]).toEqual([0, before]);
  expect(moved.out).toContain('moved 2 sessions');
  expect((await openNdjsonStore({ home: stage.home }).sessions()).sessions).toEqual([]);
  expect((await tidemark('verify', id)).exit).not.toBe(0);
  expect((await tidemark('move', id, '--to', 'other', '--yes')).out).toContain('nothing to move');

  const back = await tidemark('move', id, '--from', 'other', '--to', stage.home, '--yes', '--json');
  expect(JSON.parse(back.out)).toMatchObject({ session: id, sessions: [{ session: id }, {}], missing: [] });
  expect(logIn(stage.home)).toBe(before);
  expect((await tidemark('verify', id)).exit).toBe(0);
});

test('`tidemark move --keep` copies only', async () => {
  expect((await tidemark('move', id, '--to', 'other', '--keep', '--yes')).out).toContain('copied 1 session');
  expect(logIn(other)).toBe(logIn(stage.home));
});

test('`tidemark move` refuses the same store and a wrong address, and never prints an address', async () => {
  expect((await tidemark('move', id, '--to', stage.home)).exit).toBe(2);
  expect((await tidemark('move', id, '--to', 'database')).err).toContain('TIDEMARK_DATABASE_URL is not set');
  for (const address of ['mysql://me:secret-word@db/x', 'postgres://me:secret-word@[db/x']) {
    const { exit, err } = await tidemark('move', id, '--to', address);
    expect([exit, err.includes('secret-word')]).toEqual([2, false]);
  }
});
