// Tests the lock of a file with several calls of one process, and with a second process that is killed. In this test,
// the pauses between attempts take no time.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';

import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';

import { withLock } from './file-lock.ts';

let folder: string;
let path: string;
let lock: string;
let waitedMs: number;

async function wait(ms: number): Promise<void> {
  waitedMs += ms;
  await turn();
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark-lock-'));
  path = join(folder, 'grants', 'a.json');
  lock = `${path}.lock`;
  waitedMs = 0;
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Waits until all other calls have tried several times to take the lock. */
async function others(): Promise<void> {
  for (let turns = 0; turns < 20; turns += 1) await turn();
}

test('at most one call works at a time, even if its lock file looks old', async () => {
  let working = 0;
  const seen: number[] = [];
  const work = async (): Promise<void> => {
    working += 1;
    utimesSync(lock, 0, 0);
    await others();
    seen.push(working);
    working -= 1;
  };
  await Promise.all(Array.from({ length: 6 }, () => withLock(path, work, wait)));
  expect(seen).toEqual([1, 1, 1, 1, 1, 1]);
});

test('a lock file that no process holds is taken without a wait, whatever its age is', async () => {
  mkdirSync(join(folder, 'grants'));
  writeFileSync(lock, '');
  expect(await withLock(path, () => Promise.resolve('done'), wait)).toBe('done');
  expect(waitedMs).toBe(0);
});

test('work that throws releases the lock', async () => {
  await expect(withLock(path, () => Promise.reject(new Error('no space')), wait)).rejects.toThrow('no space');
  expect(await withLock(path, () => Promise.resolve('done'), wait)).toBe('done');
  expect(waitedMs).toBe(0);
});

test('a lock that another call keeps for 30 seconds fails the wait with `settings/no-lock`', async () => {
  const message = `${lock} cannot be locked: another process has held the lock for 30 seconds`;
  await withLock(path, async () => {
    const waiting = withLock(path, () => Promise.resolve('done'), wait);
    await expect(waiting).rejects.toMatchObject({ code: 'settings/no-lock', message });
  });
  expect(waitedMs).toBe(30_000);
});

test.each(['a link', 'a folder', 'a file of another kind'])('a lock that is %s is refused', async (what) => {
  mkdirSync(join(folder, 'grants'));
  if (what === 'a link') symlinkSync(join(folder, 'elsewhere'), lock);
  else if (what === 'a folder') mkdirSync(lock);
  else writeFileSync(lock, 'words '.repeat(1_000));
  const refused = { code: 'settings/no-lock', message: expect.stringContaining(lock) };
  await expect(withLock(path, () => Promise.resolve(), wait)).rejects.toMatchObject(refused);
});

const HOLDER = `
  const { withLock } = await import(process.argv[1]);
  await withLock(process.argv[2], async () => {
    console.log('held');
    await new Promise((resolve) => setInterval(resolve, 2 ** 30));
  });
`;

test('a process keeps the lock while it lives, and a killed process loses it at once', async () => {
  const module = new URL('./file-lock.ts', import.meta.url).href;
  const child = spawn(process.execPath, ['--input-type=module', '-e', HOLDER, module, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  utimesSync(lock, 0, 0);
  const tried = Promise.withResolvers<string>();
  const waiting = withLock(
    path,
    () => Promise.resolve('taken'),
    async (ms) => {
      await wait(ms);
      if (waitedMs === 200) tried.resolve('still waiting');
    },
  );
  expect(await Promise.race([waiting, tried.promise])).toBe('still waiting');
  child.kill('SIGKILL');
  await closed;
  expect(await waiting).toBe('taken');
  waitedMs = 0;
  expect(await withLock(path, () => Promise.resolve('done'), wait)).toBe('done');
  expect(waitedMs).toBe(0);
});
