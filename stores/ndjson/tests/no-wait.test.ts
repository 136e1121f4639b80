// Tests that no operation waits for a file of a home. A pipe, a device or a folder in place of a file is refused,
// skipped or reported, and is never removed.

import { execFileSync } from 'node:child_process';
import { appendFile, lstat, mkdir, readdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { nodeBytes } from '@tidemark/files';
import { chainBehind, digest as digestOf, position, seal, sessionId, writeHead } from '@tidemark/log';
import * as samples from '@tidemark/log/contract';
import { describe, expect, it } from 'vitest';
import { nodeFiles } from '../src/file-port.ts';
import { artifactPaths, homePaths, roomPaths } from '../src/home.ts';
import { inspectSession } from '../src/inspect-session.ts';

import { repairSession } from '../src/repair-session.ts';
import { openNdjsonStore } from '../src/store.ts';
import { temporaryHome } from './temporary-home.ts';

const { fails, gather, sessionWith } = samples;
const id = sessionId('a');

const PUT: Readonly<Record<string, (path: string) => unknown>> = {
  'a folder': (path) => mkdir(path),
  'an endless device': (path) => symlink('/dev/zero', path),
  'a pipe': (path) => execFileSync('mkfifo', [path]),
};
const KINDS = process.platform === 'win32' ? [] : Object.entries(PUT);
if (KINDS.length === 0) console.warn('skipped: Windows has no pipes and devices in its file system');

async function inHome(use: (home: string) => Promise<void>): Promise<void> {
  const home = await temporaryHome();
  try {
    await (await sessionWith(openNdjsonStore({ home }), id, 2)).close();
    await use(home);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

describe.each(KINDS)('%s', (kind, put) => {
  it('in place of a snapshot is not used, and is reported as a damaged snapshot', () =>
    inHome(async (home) => {
      const { snapshot } = roomPaths(homePaths(home), id);
      await put(snapshot);
      const store = openNdjsonStore({ home });
      expect(await store.getSnapshot(id)).toBeUndefined();
      await (await store.open(id)).close();
      expect(await gather(store.read(id))).toHaveLength(3);
      expect(await inspectSession({ home }, id)).toMatchObject({ damagedSnapshot: snapshot });
    }));

  it('in place of an artifact throws `artifact/damaged`, for plain and packed artifacts', () =>
    inHome(async (home) => {
      const digest = digestOf('0'.repeat(64));
      const { folder, plain, packed } = artifactPaths(homePaths(home), digest);
      await mkdir(folder, { recursive: true });
      for (const path of [plain, packed]) {
        await put(path);
        await fails(gather(openNdjsonStore({ home }).artifacts.get(digest)), 'artifact/damaged');
        await rm(path, { recursive: true });
      }
    }));

  it('in place of a shared text is treated as a missing text', () =>
    inHome(async (home) => {
      await mkdir(homePaths(home).shared, { recursive: true });
      await put(join(homePaths(home).shared, 'warm-fronts'));
      expect(await openNdjsonStore({ home }).shared?.get('warm-fronts')).toBeUndefined();
    }));

  it('in place of a lock or a new log is refused and not written to', () =>
    inHome(async (home) => {
      const { lease } = roomPaths(homePaths(home), id);
      await rm(lease);
      await put(lease);
      await fails(openNdjsonStore({ home }).open(id), 'log/not-a-file');
      const { log } = roomPaths(homePaths(home), sessionId('b'));
      await mkdir(dirname(log));
      await put(log);
      await fails(
        openNdjsonStore({ home }).create(sessionId('b')),
        kind === 'a folder' ? 'log/exists' : 'log/not-a-file',
      );
      expect((await lstat(log)).isFile()).toBe(false);
    }));

  it('in place of the unfinished log of a repair is refused', () =>
    inHome(async (home) => {
      const { log } = roomPaths(homePaths(home), sessionId('c'));
      await mkdir(dirname(log));
      await put(`${log}.incoming`);
      await fails(repairSession({ home }, id, sessionId('c')), 'log/not-a-file');
    }));
});

it('a sparse snapshot and a sparse artifact of 20 GB are skipped at once', () =>
  inHome(async (home) => {
    const { snapshot } = roomPaths(homePaths(home), id);
    const digest = digestOf('0'.repeat(64));
    const { folder, plain } = artifactPaths(homePaths(home), digest);
    await mkdir(folder, { recursive: true });
    for (const path of [snapshot, plain]) {
      await writeFile(path, '');
      await truncate(path, 20 * 1_024 ** 3);
    }
    const store = openNdjsonStore({ home });
    expect(await store.getSnapshot(id)).toBeUndefined();
    await fails(gather(store.artifacts.get(digest)), 'artifact/damaged');
  }));

it('an invalid lock file throws an error that names the file', () =>
  inHome(async (home) => {
    const { lease } = roomPaths(homePaths(home), id);
    await writeFile(lease, 'no database at all, '.repeat(100));
    await expect(openNdjsonStore({ home }).open(id)).rejects.toMatchObject({
      code: 'log/write-failed',
      message: expect.stringContaining(lease),
    });
  }));

it.each([2_000, 20_000, 200_000])(
  'a record with %d levels of nesting causes no stack overflow and is either read or reported as damaged',
  (depth) =>
    inHome(async (home) => {
      const last = (await gather(openNdjsonStore({ home }).read(id))).at(-1);
      if (last === undefined) throw new Error('there is a last record');
      const data = `{"format":"x","line":1,"record":${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}}`;
      const place = { position: position(last.position + 1), at: last.at, fence: last.fence, turn: undefined };
      const head = nodeBytes.encode(writeHead({ ...place, kind: 'foreign.recorded' }, data));
      const line = seal(head, chainBehind(last.chain, head, nodeBytes), nodeBytes);
      await appendFile(roomPaths(homePaths(home), id).log, line);
      const read = await gather(openNdjsonStore({ home }).read(id)).catch((error: unknown) => error);
      if (!Array.isArray(read)) expect(read).toMatchObject({ code: 'log/damaged', data: { phase: 'decode' } });
      const { records, damage } = await inspectSession({ home }, id);
      expect([records, damage === undefined]).toEqual(Array.isArray(read) ? [4, true] : [3, false]);
      expect((await repairSession({ home }, id, sessionId('c'))).records).toBe(4);
    }),
);

it.each([
  ['a log of 20 GB without content', 0, 0],
  ['a tail of 20 GB without content', 3, 3],
])('%s is reported as damage after 256 MiB, and the repair keeps the records before it', async (_what, kept, records) =>
  inHome(async (home) => {
    const { log } = roomPaths(homePaths(home), id);
    if (kept === 0) await truncate(log, 0);
    await truncate(log, 20 * 1_024 ** 3);
    const store = openNdjsonStore({ home });
    const error = await fails(gather(store.read(id)), 'log/damaged');
    expect(error.message).toContain('no line ends within 268435456 bytes');
    await fails(store.open(id), 'log/damaged');
    expect(await inspectSession({ home }, id)).toMatchObject({ records, damage: { soundBehind: 0 } });
    const repairing = repairSession({ home }, id, sessionId('c'));
    if (kept === 0) await fails(repairing, 'log/damaged');
    else expect((await repairing).records).toBeGreaterThanOrEqual(kept);
  }),
);

it('`create` removes the folder of a session if its log cannot be created', () =>
  inHome(async (home) => {
    const openLog = (): Promise<never> => Promise.reject(Object.assign(new Error('EMFILE'), { code: 'EMFILE' }));
    const store = openNdjsonStore({ home, files: { ...nodeFiles, openLog } });
    await expect(store.create(sessionId('b'))).rejects.toThrow('EMFILE');
    expect(await readdir(homePaths(home).sessions)).toEqual([id]);
    await (await openNdjsonStore({ home }).create(sessionId('b'))).close();
  }));

it.skipIf(process.platform === 'win32')(
  'an artifact that the system cannot open is not reported as damaged (skipped: Windows has no loops of links)',
  () =>
    inHome(async (home) => {
      const { artifacts } = openNdjsonStore({ home });
      const { digest } = await artifacts.put(Buffer.from('words'));
      const { plain } = artifactPaths(homePaths(home), digest);
      await rm(plain);
      await symlink(plain, plain);
      await expect(gather(artifacts.get(digest))).rejects.toMatchObject({ code: 'ELOOP' });
    }),
);
