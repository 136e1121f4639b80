// Tests the garbage collection of artifacts to which no log refers, including with writers that are about to append a
// reference.

import { appendFile, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Digest, EventOf } from '@tidemark/log';
import { callId, sessionId } from '@tidemark/log';
import * as samples from '@tidemark/log/contract';
import { describe, expect, it } from 'vitest';
import { collectGarbage } from '../src/collect-garbage.ts';
import { artifactPaths, homePaths, roomPaths } from '../src/home.ts';
import { openNdjsonStore } from '../src/store.ts';
import { temporaryHome } from './temporary-home.ts';

const { appended, digestOf, NOON, sessionWith } = samples;
const [a, b] = [sessionId('a'), sessionId('b')];
const HOUR = 3_600_000;
const NOTHING = { files: 0, bytes: 0 };
const NO_UNDO = { removed: NOTHING, kept: NOTHING };

async function inHome(test: (home: string) => Promise<void>): Promise<void> {
  const home = await temporaryHome();
  try {
    await test(home);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

const pathOf = (home: string, digest: Digest): string => artifactPaths(homePaths(home), digest).plain;

async function putBefore(home: string, text: string, hours: number): Promise<Digest> {
  const { digest } = await openNdjsonStore({ home }).artifacts.put(Buffer.from(text));
  await age(pathOf(home, digest), hours);
  return digest;
}

async function age(path: string, hours: number): Promise<void> {
  const then = new Date(Date.now() - hours * HOUR);
  await utimes(path, then, then);
}

function returned(output: Digest): EventOf<'tool.returned'> {
  return { kind: 'tool.returned', at: NOON, data: { call: callId('c'), parts: [{ type: 'text', text: 'x' }], output } };
}

describe('garbage collection', () => {
  it('removes unnamed artifacts, reports the freed bytes, and keeps named artifacts', () =>
    inHome(async (home) => {
      const named = await putBefore(home, 'named', 50);
      const unnamed = await putBefore(home, 'nobody names this', 50);
      const writer = await sessionWith(openNdjsonStore({ home }), a, 0);
      await appended(writer, [returned(named)]);
      await writer.close();
      const tallies = {
        removed: { files: 1, bytes: 17 },
        young: NOTHING,
        named: { files: 1, bytes: 5 },
        undo: NO_UNDO,
      };
      const { artifacts } = openNdjsonStore({ home });
      expect(await collectGarbage({ home }, { dryRun: true })).toEqual(tallies);
      expect(await artifacts.has(unnamed)).toBe(true);
      expect(await collectGarbage({ home })).toEqual(tallies);
      expect([await artifacts.has(named), await artifacts.has(unnamed)]).toEqual([true, false]);
      expect(await collectGarbage({ home })).toEqual({ ...tallies, removed: NOTHING });
    }));

  it('removes the bytes of changed files that no log names, and those of a session that did not change for 30 days', () =>
    inHome(async (home) => {
      const { undo } = openNdjsonStore({ home });
      const folder = roomPaths(homePaths(home), a).undo;
      const writer = await sessionWith(openNdjsonStore({ home }), a, 0);
      const named = await undo?.keep(a, Buffer.from('named'));
      const orphan = await undo?.keep(a, Buffer.from('of a killed call'));
      const young = await undo?.keep(a, Buffer.from('young'));
      if (named === undefined || orphan === undefined || young === undefined) throw new Error('not kept');
      const files = [{ path: '/w/a', digest: digestOf('new'), as: 'written', before: named } as const];
      await appended(writer, [{ kind: 'tool.returned', at: NOON, data: { call: callId('c'), parts: [], files } }]);
      await writer.close();
      await age(join(folder, named), 50);
      await age(join(folder, orphan), 50);
      const tallies = { removed: { files: 1, bytes: 16 }, kept: { files: 2, bytes: 10 } };
      expect((await collectGarbage({ home }, { dryRun: true })).undo).toEqual(tallies);
      expect((await readdir(folder)).length).toBe(3);
      expect((await collectGarbage({ home })).undo).toEqual(tallies);
      expect((await readdir(folder)).toSorted()).toEqual([named, young].toSorted());
      await age(roomPaths(homePaths(home), a).log, 24 * 31);
      await age(join(folder, young), 50);
      expect((await collectGarbage({ home })).undo).toEqual({ removed: { files: 2, bytes: 10 }, kept: NOTHING });
      expect(await readdir(folder)).toEqual([]);
    }));

  it('keeps the bytes of an old session while a fork or a subagent of it changes', () =>
    inHome(async (home) => {
      const store = openNdjsonStore({ home });
      const writer = await sessionWith(store, a, 0);
      const before = await store.undo?.keep(a, Buffer.from('before'));
      if (before === undefined) throw new Error('not kept');
      const files = [{ path: '/w/a', digest: digestOf('new'), as: 'written', before } as const];
      await appended(writer, [{ kind: 'tool.returned', at: NOON, data: { call: callId('c'), parts: [], files } }]);
      await writer.close();
      const relative = await store.create(b);
      await appended(relative, [{ kind: 'session.created', at: NOON, data: { id: b, root: a, workspace: '/w' } }]);
      await relative.close();
      const paths = homePaths(home);
      await age(join(roomPaths(paths, a).undo, before), 24 * 31);
      await age(roomPaths(paths, a).log, 24 * 31);
      expect((await collectGarbage({ home })).undo).toEqual({ removed: NOTHING, kept: { files: 1, bytes: 6 } });
      await age(roomPaths(paths, b).log, 24 * 31);
      expect((await collectGarbage({ home })).undo).toEqual({ removed: { files: 1, bytes: 6 }, kept: NOTHING });
    }));

  it('removes nothing if the home does not exist', () =>
    inHome(async (home) => {
      expect(await collectGarbage({ home: join(home, 'none') })).toEqual({
        removed: NOTHING,
        young: NOTHING,
        named: NOTHING,
        undo: NO_UNDO,
      });
    }));

  it('keeps artifacts that are named in a damaged line or in a torn tail', () =>
    inHome(async (home) => {
      const [inLine, inTail] = [await putBefore(home, 'one', 50), await putBefore(home, 'two', 50)];
      const log = roomPaths(homePaths(home), a).log;
      await (await sessionWith(openNdjsonStore({ home }), a, 1)).close();
      await appendFile(log, `damaged ${inLine}\n{"v":1,"position":3,"data":"${inTail}`);
      expect(await collectGarbage({ home })).toMatchObject({ removed: NOTHING, named: { files: 2 } });
    }));

  it('finds a name at any border between the pieces of a long log', () =>
    inHome(async (home) => {
      const digests = [];
      for (let index = 0; index < 6; index += 1) digests.push(await putBefore(home, `text ${index}`, 50));
      await (await sessionWith(openNdjsonStore({ home }), a, 1)).close();
      const log = roomPaths(homePaths(home), a).log;
      for (const [index, digest] of digests.entries()) {
        const { size } = await stat(log);
        const border = 1_048_576 * (index + 1);
        await appendFile(log, `${' '.repeat(border - size - 60 + 11 * index)}${digest}`);
      }
      expect(await collectGarbage({ home })).toMatchObject({ removed: NOTHING, named: { files: 6 } });
    }));

  it('keeps an artifact that was stored less than an hour ago, because its record may follow', () =>
    inHome(async (home) => {
      await putBefore(home, 'half an hour', 0.5);
      expect(await collectGarbage({ home })).toMatchObject({ removed: NOTHING, young: { files: 1 } });
      expect(await collectGarbage({ home }, { now: Date.now() + HOUR })).toMatchObject({ removed: { files: 1 } });
    }));

  it('keeps all artifacts that were stored since the oldest living writer began, even if that writer is idle for a long time', () =>
    inHome(async (home) => {
      const writer = await sessionWith(openNdjsonStore({ home }), a, 0);
      await age(roomPaths(homePaths(home), a).lease, 80);
      await (await sessionWith(openNdjsonStore({ home }), b, 0)).close();
      await putBefore(home, 'put before it began', 90);
      const waiting = await putBefore(home, 'put by the one that sleeps', 70);
      expect(await collectGarbage({ home })).toMatchObject({ removed: { files: 1 }, young: { files: 1 } });
      await appended(writer, [returned(waiting)]);
      await writer.close();
      expect(await collectGarbage({ home })).toMatchObject({ removed: NOTHING, named: { files: 1 } });
    }));

  it('keeps an old artifact that was stored again, because a new record may name it', () =>
    inHome(async (home) => {
      const digest = await putBefore(home, 'again', 50);
      await openNdjsonStore({ home }).artifacts.put(Buffer.from('again'));
      expect(await collectGarbage({ home })).toMatchObject({ removed: NOTHING, young: { files: 1 } });
      expect(await openNdjsonStore({ home }).artifacts.has(digest)).toBe(true);
    }));

  it('never removes an artifact of an active writer, however often it runs', () =>
    inHome(async (home) => {
      const store = openNdjsonStore({ home });
      for (let index = 0; index < 40; index += 1) await putBefore(home, `${index}`, 50);
      const writer = await sessionWith(store, a, 0);
      const written = new AbortController();
      const write = async (): Promise<void> => {
        for (let index = 0; index < 60; index += 1) {
          const { digest } = await store.artifacts.put(Buffer.from(`${index}`));
          await appended(writer, [returned(digest)]);
        }
        written.abort();
      };
      const collect = async (): Promise<void> => {
        while (!written.signal.aborted) await collectGarbage({ home }, { now: Date.now() + 9 * HOUR });
      };
      await Promise.all([write(), collect()]);
      for (let index = 0; index < 60; index += 1) expect(await store.artifacts.has(digestOf(`${index}`))).toBe(true);
      await writer.close();
    }));

  it('removes the temporary file of a killed write, and restores the files that a killed collection had renamed', () =>
    inHome(async (home) => {
      const digest = await putBefore(home, 'taken', 50);
      const writer = await sessionWith(openNdjsonStore({ home }), a, 0);
      await appended(writer, [returned(digest)]);
      await writer.close();
      const path = pathOf(home, digest);
      await rename(path, join(path, '..', `.doomed-${digest}`));
      const left = join(homePaths(home).artifacts, '.incoming-1');
      await appendFile(left, 'half');
      await age(left, 50);
      expect(await collectGarbage({ home })).toEqual({
        removed: { files: 1, bytes: 4 },
        young: NOTHING,
        named: { files: 1, bytes: 5 },
        undo: NO_UNDO,
      });
      expect(await readdir(join(path, '..'))).toEqual([digest]);
    }));

  it('removes nothing if a log is missing and its snapshot still exists', () =>
    inHome(async (home) => {
      const garbage = await putBefore(home, 'named by the lost log alone', 2);
      const store = openNdjsonStore({ home });
      const writer = await sessionWith(store, a, 1);
      await store.putSnapshot(a, { length: 2, chain: writer.chain, revision: 'r', bytes: Buffer.from('x') });
      await writer.close();
      await rm(roomPaths(homePaths(home), a).log);
      const error = await samples.fails(collectGarbage({ home }), 'log/missing');
      expect(error.message).toContain('restore the folder from a backup, or move it away');
      await stat(pathOf(home, garbage));
      await rm(roomPaths(homePaths(home), a).snapshot);
      expect(await collectGarbage({ home })).toMatchObject({ removed: { files: 1 } });
    }));

  it('removes nothing if a log cannot be read', () =>
    inHome(async (home) => {
      const digest = await putBefore(home, 'kept', 50);
      const room = roomPaths(homePaths(home), a);
      await (await sessionWith(openNdjsonStore({ home }), a, 0)).close();
      await rm(room.log);
      // The log is replaced by a folder, because a folder cannot be read as a file by any user, even by root.
      await mkdir(room.log);
      await expect(collectGarbage({ home })).rejects.toThrow('is a folder');
      expect(await openNdjsonStore({ home }).artifacts.has(digest)).toBe(true);
    }));
});
