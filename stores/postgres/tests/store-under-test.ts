// Store of the contract tests: a new tenant for each test.

import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Log, SessionId } from '@tidemark/log';
import type { LogUnderTest } from '@tidemark/log/contract';
import { openFolderObjects } from '@tidemark/store-objects';

import type { Database } from '../src/index.ts';
import { openPostgresStore } from '../src/index.ts';
import { faulty } from './faulty-database.ts';
import { readLines, removeRows, writeLines } from './stored-lines.ts';

let tenants = 0;

/** Creates an empty store. `owner` is the address of the same database for the owner of its tables. */
export async function storeUnderTest(database: Database, owner: string): Promise<LogUnderTest> {
  const tenant = `tenant-${(tenants += 1)}`;
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-objects-'));
  const { faults, ...withFaults } = faulty(database);
  const open = (): Log => openPostgresStore({ database: withFaults, tenant, objects: openFolderObjects(folder) });
  return {
    log: open(),
    reopen: open,
    lines: {
      read: (session) => readLines(owner, tenant, session),
      write: (session, bytes) => writeLines(owner, tenant, session, bytes),
    },
    damageArtifact: (digest) => damageFile(folder, (name) => name.includes(digest)),
    damageSnapshot: (session) => damageFile(folder, (name) => name.startsWith('snapshots') && name.includes(session)),
    removeSession: (session: SessionId) => removeRows(owner, tenant, session),
    faults,
    dispose: () => rm(folder, { recursive: true, force: true }),
  };
}

async function damageFile(folder: string, isIt: (name: string) => boolean): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || !isIt(path.slice(folder.length + 1))) continue;
    const bytes = await readFile(path);
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
    await writeFile(path, bytes);
  }
}
