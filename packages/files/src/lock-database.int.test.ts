// Tests the locks that SQLite holds, and that loading SQLite prints no warning.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { isHeldLock, openLockDatabase } from './lock-database.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark-lock-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

function failureOf(work: () => void): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}

test('`isHeldLock` is true while another connection holds the lock, and false for other failures', () => {
  const path = join(folder, 'lock');
  const [first, second] = [openLockDatabase(path), openLockDatabase(path)];
  first.exec('BEGIN EXCLUSIVE');
  expect(isHeldLock(failureOf(() => second.exec('BEGIN EXCLUSIVE')))).toBe(true);
  first.close();
  expect(failureOf(() => second.exec('BEGIN EXCLUSIVE'))).toBeUndefined();
  expect(isHeldLock(failureOf(() => second.exec('no statement')))).toBe(false);
  second.close();
  expect(isHeldLock(failureOf(() => openLockDatabase(join(folder, 'none', 'lock'))))).toBe(false);
});

test('`isHeldLock` recognizes the errors of Deno, which contain no code of SQLite', () => {
  const error = (message: string): Error => Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR' });
  expect(isHeldLock(error('database is locked'))).toBe(true);
  expect(isHeldLock(error('unable to open database file'))).toBe(false);
  expect(isHeldLock(new Error('database is locked'))).toBe(false);
});

test('a process that opens a lock prints no warning about SQLite, and prints every other warning', () => {
  const program = `
    import { openLockDatabase } from ${JSON.stringify(new URL('lock-database.ts', import.meta.url).href)};
    openLockDatabase(':memory:').close();
    process.emitWarning('another one', 'ExperimentalWarning');
    process.emitWarning('SQLite is an experimental feature of a program', 'ExperimentalWarning');
  `;
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
  expect(stderr.match(/\w*Warning: .*/g)).toEqual([
    'ExperimentalWarning: another one',
    'ExperimentalWarning: SQLite is an experimental feature of a program',
  ]);
});
