// Runs the contract tests of artifacts and undo bytes on both storages. The logs are in memory.

import type { SessionId } from '@tidemark/log';
import type { LogUnderTest } from '@tidemark/log/contract';
import { claimArtifacts, claimUndo } from '@tidemark/log/contract';
import { createMemoryBackend, createMemoryStore } from '@tidemark/store-memory';
import { createObjectArtifacts } from '../src/object-artifacts.ts';
import { artifactKeys } from '../src/artifact-keys.ts';
import { readObject } from '../src/object-snapshots.ts';
import type { ObjectStore } from '../src/object-store.ts';
import { createObjectUndo } from '../src/object-undo.ts';
import type { StorageFactory } from './storages.ts';
import { describeStorages } from './storages.ts';

async function storeIn(factory: StorageFactory): Promise<LogUnderTest> {
  const { objects, reopen, dispose } = await factory();
  const backend = createMemoryBackend();
  const open = (opened: ObjectStore): LogUnderTest['log'] => {
    const log = createMemoryStore(backend);
    const ancestors = (session: SessionId): Promise<readonly SessionId[]> => ancestorsIn(log, session);
    return { ...log, artifacts: createObjectArtifacts(opened), undo: createObjectUndo(opened, ancestors) };
  };
  return {
    log: open(objects),
    reopen: () => open(reopen()),
    async damageArtifact(digest) {
      const { plain, packed } = artifactKeys(digest);
      for (const key of [plain, packed]) await flipLast(objects, key);
    },
    damageSnapshot: () => Promise.reject(new Error('snapshots are tested in object-snapshots.int.test.ts')),
    removeSession: () => Promise.reject(new Error('sessions are in memory')),
    dispose,
  };
}

async function flipLast(objects: ObjectStore, key: string): Promise<void> {
  const bytes = await readObject(objects, key, 1_000_000);
  if (bytes === undefined) return;
  const last = bytes.length - 1;
  bytes[last] = (bytes[last] ?? 0) ^ 1;
  await objects.put(key, bytes);
}

async function ancestorsIn(log: LogUnderTest['log'], session: SessionId): Promise<readonly SessionId[]> {
  const found: SessionId[] = [];
  for (let next: SessionId | undefined = session; next !== undefined;) {
    const { sessions } = await log.sessions();
    next = sessions.find((summary) => summary.session === next)?.parent?.session;
    if (next !== undefined) found.push(next);
  }
  return found;
}

describeStorages('an object storage fulfils the contract', (factory) => {
  claimArtifacts(() => storeIn(factory));
  claimUndo(() => storeIn(factory));
});
