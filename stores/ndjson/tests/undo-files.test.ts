// Tests which kept files are removed when the undo store of a session is full.

import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Digest, UndoStore } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { homePaths, roomPaths } from '../src/home.ts';
import { openNdjsonStore } from '../src/store.ts';

const SESSION = sessionId('a');

let home: string;
let undo: UndoStore;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tidemark-undo-'));
  const store = openNdjsonStore({ home, undoLimits: { file: 1_000, session: 1_280 } });
  if (store.undo === undefined) throw new Error('no undo store');
  ({ undo } = store);
});

afterEach(() => rm(home, { recursive: true }));

/** Keeps a file of this size. `age` is the number of minutes since it was kept. */
async function keep(letter: string, size: number, age: number): Promise<Digest> {
  const name = await undo.keep(SESSION, Buffer.alloc(size, letter));
  if (name === undefined) throw new Error('not kept');
  const then = Date.now() / 1_000 - age * 60;
  await utimes(join(folder(), name), then, then);
  return name;
}

const folder = (): string => roomPaths(homePaths(home), SESSION).undo;

const kept = async (): Promise<readonly string[]> => (await readdir(folder())).toSorted();

describe('a full undo store', () => {
  test('loses large files before older small ones', async () => {
    const source = await keep('s', 19, 60);
    const older = await keep('a', 600, 30);
    const younger = await keep('b', 600, 20);
    const newest = await keep('c', 600, 0);
    expect(await kept()).toEqual([source, younger, newest].toSorted());
    expect(await kept()).not.toContain(older);
  });

  test('loses the oldest of the small files if it contains no large file but the newest', async () => {
    const small = [];
    for (let index = 0; index < 30; index += 1)
      small.push(await keep(String.fromCodePoint(65 + index), 19, 60 - index));
    const newest = await keep('z', 800, 0);
    expect(await kept()).toEqual([...small.slice(5), newest].toSorted());
  });
});
