// Tests that the right folders are flushed, so a name that was reported as durable survives a power loss.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createFolders } from './durable-folder.ts';

async function watched() {
  const above = await mkdtemp(join(tmpdir(), 'tidemark-folders-'));
  onTestFinished(() => rm(above, { recursive: true }));
  const home = join(above, 'home');
  const flushed: string[] = [];
  const folders = createFolders(home, async (path) => void flushed.push(path.slice(above.length)));
  return { home, folders, flushed: () => flushed.splice(0).toSorted() };
}

test('a new folder and each folder between it and the home are made durable exactly once', async () => {
  const { home, folders, flushed } = await watched();
  await folders.make(join(home, 'a', 'b'));
  expect(flushed()).toEqual(['', '/home', '/home/a']);
  await folders.make(join(home, 'a', 'b'));
  expect(flushed()).toEqual([]);
  await folders.make(join(home, 'a', 'c'));
  expect(flushed()).toEqual(['/home/a']);
});

test('an existing folder that another process made is made durable too', async () => {
  const { home, folders, flushed } = await watched();
  await createFolders(home, async () => undefined).make(join(home, 'a'));
  await folders.make(join(home, 'a'));
  expect(flushed()).toEqual(['/home']);
});

test('a folder that was removed and made again is made durable again', async () => {
  const { home, folders, flushed } = await watched();
  await folders.make(join(home, 'a', 'b'));
  flushed();
  await rm(join(home, 'a'), { recursive: true });
  await folders.make(join(home, 'a', 'b'));
  expect(flushed()).toEqual(['/home', '/home/a']);
});
