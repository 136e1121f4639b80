// The storages on which every test of this package runs: a folder, and a bucket of a real S3 server.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { openFolderObjects } from '../src/folder-objects.ts';
import type { ObjectStore } from '../src/object-store.ts';
import { openS3Objects } from '../src/s3-objects.ts';
import type { S3Server } from './s3-server.ts';
import { startS3 } from './s3-server.ts';

/** An empty storage for one test. */
export interface Storage {
  readonly objects: ObjectStore;
  /** Opens the same storage again, as another process does. */
  reopen(): ObjectStore;
  dispose(): Promise<void>;
}

/** Creates an empty storage. */
export type StorageFactory = () => Promise<Storage>;

async function folderStorage(): Promise<Storage> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-objects-'));
  return {
    objects: openFolderObjects(folder),
    reopen: () => openFolderObjects(folder),
    dispose: () => rm(folder, { recursive: true, force: true }),
  };
}

async function bucketStorage({ options }: S3Server, prefix: string): Promise<Storage> {
  const [objects, again] = [await openS3Objects({ ...options, prefix }), await openS3Objects({ ...options, prefix })];
  return {
    objects,
    reopen: () => again,
    async dispose() {
      objects.close();
      again.close();
    },
  };
}

/** Registers the same tests for both storages. The tests of a bucket share a server, and each has its own prefix. */
export function describeStorages(title: string, register: (factory: StorageFactory) => void): void {
  describe(`${title} in a folder`, () => register(folderStorage));
  describe(`${title} in a bucket of S3`, () => {
    let server: S3Server | undefined;
    let count = 0;
    beforeAll(async () => {
      server = await startS3();
    });
    afterAll(() => server?.close());
    register(() => {
      if (server === undefined) throw new Error('no server');
      count += 1;
      return bucketStorage(server, `test-${count}/`);
    });
  });
}

/** Runs a test with an empty storage, and removes the storage. */
export async function withStorage(factory: StorageFactory, test: (storage: Storage) => Promise<void>): Promise<void> {
  const storage = await factory();
  try {
    await test(storage);
  } finally {
    await storage.dispose();
  }
}
