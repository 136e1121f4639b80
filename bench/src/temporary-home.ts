// Temporary home of a store, removed after the work.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Passes an empty folder to `use`, and removes the folder afterwards, even if `use` fails. */
export async function withTemporaryHome<T>(use: (home: string) => Promise<T>): Promise<T> {
  const home = await mkdtemp(join(tmpdir(), 'tidemark-bench-'));
  try {
    return await use(home);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}
