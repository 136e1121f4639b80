// Tests the files of a home and their permissions.

import { mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { sessionId } from '@tidemark/log';
import * as samples from '@tidemark/log/contract';
import { describe, expect, it } from 'vitest';
import { openNdjsonStore } from '../src/store.ts';
import { faultyFiles } from './faulty-files.ts';
import { temporaryHome } from './temporary-home.ts';

const { digestOf, fails, gather, parentAt, sessionWith, texts } = samples;
const id = sessionId('a');

async function inHome(test: (home: string) => Promise<void>): Promise<void> {
  const home = await temporaryHome();
  try {
    await test(join(home, 'made', 'on', 'demand'));
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

describe('a home', () => {
  it('is readable only by its owner', () =>
    inHome(async (home) => {
      const store = openNdjsonStore({ home });
      const writer = await sessionWith(store, id, 1);
      await store.putSnapshot(id, { length: 2, chain: writer.chain, revision: 'r', bytes: Buffer.from('x') });
      const { digest } = await store.artifacts.put(Buffer.from('x'));
      const kept = await store.undo?.keep(id, Buffer.from('x'));
      await writer.close();
      for (const folder of [
        '',
        'sessions',
        'sessions/a',
        'sessions/a/undo',
        'artifacts',
        `artifacts/${digest.slice(0, 2)}`,
      ]) {
        expect([folder, await modeOf(join(home, folder))]).toEqual([folder, '700']);
      }
      for (const file of ['log.ndjson', 'lease.db', 'snapshot', `undo/${kept}`].map((name) => `sessions/a/${name}`)) {
        expect([file, await modeOf(join(home, file))]).toEqual([file, '600']);
      }
      expect(await modeOf(join(home, 'artifacts', digest.slice(0, 2), digest))).toBe('600');
    }));

  it('is not created by reading', () =>
    inHome(async (home) => {
      const store = openNdjsonStore({ home });
      expect(await store.sessions()).toEqual({ sessions: [], unreadable: [] });
      await fails(gather(store.read(id)), 'log/missing');
      await expect(stat(home)).rejects.toThrow('ENOENT');
    }));

  it('stores artifacts above 4 KiB packed, and contains no other files', () =>
    inHome(async (home) => {
      const { artifacts } = openNdjsonStore({ home });
      const [small, large] = [Buffer.alloc(4096, 'a'), Buffer.alloc(4097, 'a')];
      await artifacts.put(small);
      await artifacts.put(large);
      await artifacts.put(large);
      const path = (bytes: Buffer): string => join(home, 'artifacts', digestOf(bytes).slice(0, 2), digestOf(bytes));
      expect((await readFile(path(small))).equals(small)).toBe(true);
      expect(zstdDecompressSync(await readFile(`${path(large)}.zst`)).equals(large)).toBe(true);
      const files = (await readdir(join(home, 'artifacts'), { recursive: true, withFileTypes: true })).filter((entry) =>
        entry.isFile(),
      );
      expect(files.length).toBe(2);
    }));

  it('lists its sessions, and lists other folders as unreadable', () =>
    inHome(async (home) => {
      await (await sessionWith(openNdjsonStore({ home }), id, 0)).close();
      await mkdir(join(home, 'sessions', 'not a session'));
      await writeFile(join(home, 'sessions', 'a file'), '');
      const { sessions, unreadable } = await openNdjsonStore({ home }).sessions();
      expect(sessions.map((each) => each.session)).toEqual(['a']);
      expect(unreadable.map((each) => each.session)).toEqual(['not a session']);
    }));

  it('on a network file system refuses writers and names the file system', () =>
    inHome(async (home) => {
      const files = faultyFiles();
      await (await sessionWith(openNdjsonStore({ home, files: files.port }), id, 0)).close();
      files.standOn(0x6969);
      const error = await fails(openNdjsonStore({ home, files: files.port }).open(id), 'log/unsupported-filesystem');
      expect(error.message).toContain('NFS');
      expect(await texts(openNdjsonStore({ home, files: files.port }), id)).toEqual(['session.created']);
    }));

  it('throws `artifact/write-failed` with its cause if an artifact cannot be written', () =>
    inHome(async (home) => {
      await mkdir(home, { recursive: true });
      await writeFile(join(home, 'artifacts'), 'in the way');
      const error = await fails(openNdjsonStore({ home }).artifacts.put(Buffer.from('x')), 'artifact/write-failed');
      expect(error.cause).toBeInstanceOf(Error);
    }));

  it('ignores an invalid snapshot', () =>
    inHome(async (home) => {
      await (await sessionWith(openNdjsonStore({ home }), id, 0)).close();
      const path = join(home, 'sessions', 'a', 'snapshot');
      for (const garbage of ['', '\n', 'x'.repeat(100), `${'0'.repeat(64)} {}\n`]) {
        await writeFile(path, garbage);
        expect(await openNdjsonStore({ home }).getSnapshot(id)).toBeUndefined();
      }
    }));

  it('opens a writer at the end of the log, even if the snapshot names a wrong offset', () =>
    inHome(async (home) => {
      await (await sessionWith(openNdjsonStore({ home }), id, 3)).close();
      const { size } = await stat(join(home, 'sessions', 'a', 'log.ndjson'));
      for (const [length, offset] of [
        [4, size],
        [3, size],
        [4, size - 1],
        [4, 1e9],
        [4, -1],
        [4, 1.5],
        [4, 1e300],
      ]) {
        const header = JSON.stringify({ length, offset, chain: '0'.repeat(16), revision: 'r' });
        await writeFile(join(home, 'sessions', 'a', 'snapshot'), `${'0'.repeat(64)} ${header}\n`);
        const writer = await openNdjsonStore({ home }).open(id);
        expect([offset, writer.length]).toEqual([offset, 4]);
        await writer.close();
      }
      expect((await stat(join(home, 'sessions', 'a', 'log.ndjson'))).size).toBe(size);
    }));

  it('forks at the correct record, even if the snapshot of the parent names a wrong offset', () =>
    inHome(async (home) => {
      await (await sessionWith(openNdjsonStore({ home }), id, 3)).close();
      const parent = await parentAt(openNdjsonStore({ home }), id, 3);
      const whole = await readFile(join(home, 'sessions', 'a', 'log.ndjson'));
      const last = whole.lastIndexOf('\n', -2) + 1;
      for (const [length, offset] of [
        [3, last],
        [2, last],
        [3, last - 1],
        [4, whole.length],
        [3, 1e9],
      ]) {
        const header = JSON.stringify({ length, offset, chain: '0'.repeat(16), revision: 'r' });
        await writeFile(join(home, 'sessions', 'a', 'snapshot'), `${'0'.repeat(64)} ${header}\n`);
        const writer = await openNdjsonStore({ home }).create(sessionId(`fork-${length}-${offset}`), parent);
        expect([offset, writer.length, writer.chain]).toEqual([offset, 4, parent.chain]);
        await writer.close();
      }
    }));
});
