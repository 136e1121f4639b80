// Tests artifacts that are stored again. Sound bytes keep their file, and the file gets a new time. Damaged bytes are
// written again.

import { readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { artifactPaths, homePaths } from '../src/home.ts';
import { openNdjsonStore } from '../src/store.ts';
import { temporaryHome } from './temporary-home.ts';

const LONG_AGO = new Date('2026-01-01T00:00:00.000Z');

test.each([
  ['uncompressed', 100],
  ['compressed', 100_000],
])(
  'storing bytes again updates the time of a sound file and rewrites a damaged file, for bytes kept %s',
  async (_how, size) => {
    const home = await temporaryHome();
    onTestFinished(() => rm(home, { recursive: true }));
    const { artifacts } = openNdjsonStore({ home });
    const bytes = Buffer.alloc(size, 'tide');
    const { digest } = await artifacts.put(bytes);
    const { folder, plain, packed } = artifactPaths(homePaths(home), digest);
    expect(await readdir(folder)).toHaveLength(1);
    const path = size < 4_096 ? plain : packed;
    await utimes(path, LONG_AGO, LONG_AGO);
    const first = await stat(path);

    expect(await artifacts.put(bytes)).toEqual({ digest, size });
    const second = await stat(path);
    expect(second.ino).toBe(first.ino);
    expect(second.mtimeMs).toBeGreaterThan(first.mtimeMs);

    await writeFile(path, 'something else');
    expect(await artifacts.put(bytes)).toEqual({ digest, size });
    const read: Uint8Array[] = [];
    for await (const piece of artifacts.get(digest)) read.push(piece);
    expect(Buffer.concat(read).equals(bytes)).toBe(true);
  },
);
