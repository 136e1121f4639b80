// Tests how a command line names a session: by its id, the start of its id, its title, or `--last`.

import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { pretendRun } from '../../tests/pretend-run.ts';
import { storeSession } from '../../tests/stored-session.ts';
import { ageOf } from './find-session.ts';

let home = '';

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'tidemark-names-'));
});

afterEach(() => rmSync(home, { recursive: true }));

const begin = (id: string, title?: string, workspace?: string): Promise<void> =>
  storeSession(home, { id, ...(title !== undefined && { title }), ...(workspace !== undefined && { workspace }) });

const tidemark = (...args: readonly string[]): ReturnType<typeof pretendRun> =>
  pretendRun(args, { folder: '/work/shop', environment: { TIDEMARK_HOME: home } });

/** Returns the session that `verify` checked, or its error. */
async function named(...args: readonly string[]): Promise<string> {
  const { out } = await tidemark('verify', ...args, '--json');
  const { session, error } = JSON.parse(out);
  return session ?? error.code;
}

test('a session is found by its id, a unique start of it, its title, and a unique part of its title', async () => {
  await begin('0197a-first', 'Fix the   Parser');
  await begin('0197b-second', 'Fix the printer');
  expect(await named('0197b-second')).toBe('0197b-second');
  expect(await named('0197A')).toBe('0197a-first');
  expect(await named('fix the parser')).toBe('0197a-first');
  expect(await named('PRINT')).toBe('0197b-second');
});

test('a session that was not named by its whole id is reported on stderr', async () => {
  await begin('0197a-first', 'Fix the parser');
  expect((await tidemark('verify', 'parser')).err).toBe('session 0197a-first: Fix the parser\n');
  expect((await tidemark('verify', '0197a-first')).err).toBe('');
});

test('a title on stderr contains no secret of the environment, also one that was set after the title was stored', async () => {
  await begin('0197a-first', 'Use letmein-12345678 here');
  await begin('0197b-second', 'Use letmein-12345678 there');
  const environment = { TIDEMARK_HOME: home, SHOP_TOKEN: 'letmein-12345678' };
  for (const name of ['here', 'use']) {
    const { err } = await pretendRun(['verify', name], { folder: '/work/shop', environment });
    expect(err).toContain('Use [secret:SHOP_TOKEN] here');
    expect(err).not.toContain('letmein');
  }
});

test('a name of several sessions is refused with exit code 3, and the error lists them', async () => {
  await begin('0197a-first', 'Fix the parser');
  await begin('0197b-second', 'Fix the parser');
  await begin('0197c-third', 'Fix the parser again');
  const { exit, err } = await tidemark('compact', 'Fix the parser');
  expect(exit).toBe(3);
  expect(err).toMatch(/^error: "Fix the parser" means 2 sessions:\n/);
  expect(err).toMatch(/\n {2}0197a-first {2}0 min ago {2}Fix the parser\n/);
  expect(err).not.toContain('third');
  expect(await named('0197')).toBe('cli/not-found');
});

test('an id that is also the title of another session means the session with that id', async () => {
  await begin('alpha', 'Something else');
  await begin('beta', 'alpha');
  await begin('alpha-2', 'alpha');
  expect(await named('alpha')).toBe('alpha');
});

test('the start of an id that is also the title of another session is ambiguous', async () => {
  await begin('alpha-1', 'Something else');
  await begin('beta', 'alpha');
  expect(await named('alpha')).toBe('cli/not-found');
});

test('a name of no session keeps the code of a missing session if it has the form of an id', async () => {
  await begin('0197a-first', 'Fix the parser');
  expect(await named('nosuch')).toBe('log/missing');
  expect(await named('no such title')).toBe('cli/not-found');
  expect(await named('')).toBe('cli/not-found');
});

test('a session whose log cannot be read is found by the start of its id', async () => {
  await begin('0197a-first', 'Fix the parser');
  const [log = ''] = globSync(join(home, '**', '0197a-first', '*.*'));
  writeFileSync(log, 'not a record\n');
  const { err } = await tidemark('doctor', '--repair', '0197a');
  expect(err).toContain('0197a-first');
});

test('`--last` is the newest session of the folder, which is reported on stderr', async () => {
  await begin('0197a-first', 'Here');
  await begin('0197b-second', 'Elsewhere', '/work/other');
  const { exit, err } = await tidemark('verify', '--last');
  expect({ exit, err }).toEqual({ exit: 0, err: 'session 0197a-first: Here\n' });
});

test('`--last` with a session is refused, and a command that needs a session names `--last`', async () => {
  await begin('0197a-first', 'Here');
  expect((await tidemark('verify', '0197a-first', '--last')).err).toContain('`--last` cannot be combined');
  expect((await tidemark('verify')).err).toContain('add `--last`');
});

test('with `--last` the only argument of `show` and `why` is the step', async () => {
  await begin('0197a-first', 'Here');
  for (const command of ['show', 'why']) {
    const { exit, err } = await tidemark(command, '--last', '7');
    expect(exit).toBe(3);
    expect(err).toContain('session 0197a-first has no request for step 7');
  }
});

test('`sessions` with a name lists the sessions whose id begins with it, or whose title contains it', async () => {
  await begin('0197a-first', 'Fix the parser');
  await begin('0197b-second', 'parser-tests of 0197a');
  await begin('0198-third', 'Something else');
  const { sessions } = JSON.parse((await tidemark('sessions', '0197a', '--json')).out);
  expect(sessions.map(({ session }: { readonly session: string }) => session).toSorted()).toEqual([
    '0197a-first',
    '0197b-second',
  ]);
  expect((await tidemark('sessions', 'zebra')).out).toContain('no session in');
});

test('`ageOf` counts minutes, hours and days', () => {
  const now = Date.parse('2026-11-23T12:00:00.000Z');
  expect(ageOf('2026-11-23T11:30:00.000Z', now)).toBe('30 min ago');
  expect(ageOf('2026-11-22T12:00:00.000Z', now)).toBe('24 h ago');
  expect(ageOf('2026-11-01T12:00:00.000Z', now)).toBe('22 days ago');
  expect(ageOf('', now)).toBe('age unknown');
});
