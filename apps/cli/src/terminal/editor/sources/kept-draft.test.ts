// Tests the draft of a folder: the file of a process that ended is taken over by the next one.

import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import type { KeptDraft } from './kept-draft.ts';
import { openKeptDraft } from './kept-draft.ts';

interface Drafts {
  readonly home: string;
  readonly running: Set<number>;
  open(pid: number, folder?: string): KeptDraft;
  files(): Promise<readonly string[]>;
}

async function newDrafts(): Promise<Drafts> {
  const home = await mkdtemp(join(tmpdir(), 'tidemark-draft-'));
  onTestFinished(() => rm(home, { recursive: true }));
  const running = new Set<number>();
  const mask = async (text: string): Promise<string> => text.replaceAll('secret', '[masked]');
  return {
    home,
    running,
    open: (pid, folder = '/work') =>
      openKeptDraft({ home, folder, mask, pid, isRunning: (other) => running.has(other) }),
    files: () => readdir(join(home, 'drafts')),
  };
}

test('a draft of a process that ended is found in its folder, with secrets masked, until it is taken over', async () => {
  const { home, open, files } = await newDrafts();
  await open(1).keep('use the secret\nsoon');
  const [name = ''] = await files();
  expect((await stat(join(home, 'drafts', name))).mode & 0o777).toBe(0o600);
  expect(await readFile(join(home, 'drafts', name), 'utf8')).not.toContain('secret');
  expect(await open(2, '/other').findLeft()).toBeUndefined();
  expect((await open(2).findLeft())?.text).toBe('use the [masked]\nsoon');
  await (await open(3).findLeft())?.takeOver();
  expect(await open(3).findLeft()).toBeUndefined();
  expect((await open(4).findLeft())?.text).toBe('use the [masked]\nsoon');
});

test('a draft of a process that runs is not taken', async () => {
  const { open, running } = await newDrafts();
  running.add(1);
  await open(1).keep('half');
  expect(await open(2).findLeft()).toBeUndefined();
});

test('an empty draft, and one that is too long, leave no file', async () => {
  const { open, files } = await newDrafts();
  const draft = open(1);
  await draft.keep('half');
  await draft.keep('');
  expect(await files()).toEqual([]);
  await draft.keep('half');
  await draft.keep('x'.repeat(40_000));
  expect(await files()).toEqual([]);
});

test('a file that is no draft is ignored', async () => {
  const { home, open, files } = await newDrafts();
  await open(1).keep('half');
  const [name = ''] = await files();
  await writeFile(join(home, 'drafts', name), '{"folder":"/work","te');
  expect(await open(2).findLeft()).toBeUndefined();
});
