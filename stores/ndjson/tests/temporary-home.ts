// Creates a home that is removed after the test, and a store in that home for the contract tests.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionId } from '@tidemark/log';
import type { LogUnderTest } from '@tidemark/log/contract';
import type { RoomPaths } from '../src/home.ts';
import { artifactPaths, homePaths, roomPaths } from '../src/home.ts';
import { openNdjsonStore } from '../src/store.ts';
import { faultyFiles } from './faulty-files.ts';

/** Creates a new folder for a home. */
export function temporaryHome(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'tidemark-'));
}

/** Creates a new store on disk whose file port can inject faults. */
export async function storeUnderTest(): Promise<LogUnderTest & { readonly home: string }> {
  const home = await temporaryHome();
  const files = faultyFiles();
  const room = (session: SessionId): RoomPaths => roomPaths(homePaths(home), session);
  return {
    home,
    log: openNdjsonStore({ home, files: files.port }),
    reopen: () => openNdjsonStore({ home, files: files.port }),
    lines: {
      read: (session) => readFile(room(session).log),
      write: (session, bytes) => writeFile(room(session).log, bytes),
    },
    async damageArtifact(digest) {
      const { plain, packed } = artifactPaths(homePaths(home), digest);
      for (const path of [plain, packed]) await flipLast(path);
    },
    damageSnapshot: (session) => flipLast(room(session).snapshot),
    removeSession: (session) => rm(room(session).folder, { recursive: true }),
    faults: files,
    dispose: () => rm(home, { recursive: true, force: true }),
  };
}

async function flipLast(path: string): Promise<void> {
  const bytes = await readFile(path).catch(() => undefined);
  if (bytes === undefined) return;
  const last = bytes.length - 1;
  bytes[last] = (bytes[last] ?? 0) ^ 1;
  await writeFile(path, bytes);
}
