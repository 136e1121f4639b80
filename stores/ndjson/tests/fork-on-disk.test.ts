// Tests that the record at which a fork begins is on stable storage in the parent before the fork exists.

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sessionId } from '@tidemark/log';
import { appended, created, fails, parentAt, prompt } from '@tidemark/log/contract';
import { expect, it } from 'vitest';
import { openNdjsonStore } from '../src/store.ts';
import { faultyFiles } from './faulty-files.ts';
import { temporaryHome } from './temporary-home.ts';

it('`create` flushes the forked record of the parent, and creates no session if the flush fails', async () => {
  const home = await temporaryHome();
  try {
    const files = faultyFiles();
    const store = openNdjsonStore({ home, files: files.port });
    const [a, b] = [sessionId('a'), sessionId('b')];
    const path = join(home, 'sessions', 'a', 'log.ndjson');
    const writer = await store.create(a);
    await appended(writer, [created(a), prompt('said')]);
    expect(files.flushed.get(path) ?? 0).toBe(0);
    const parent = await parentAt(store, a, 1);
    files.failFlushes();
    await fails(store.create(b, parent), 'log/flush-failed');
    expect((await store.sessions()).sessions.map(({ session }) => session)).toEqual([a]);
    files.heal();
    await (await store.create(b, parent)).close();
    expect(files.flushed.get(path)).toBeGreaterThan(0);
    await writer.close();
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});
