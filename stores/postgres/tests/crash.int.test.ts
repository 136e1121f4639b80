// Tests a server that crashes: records that were flushed are there, and a writer never goes on over lost records.

import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Log, SessionId } from '@tidemark/log';
import { LogError, sessionId } from '@tidemark/log';
import { appended, prompt, sessionWith, textOrKind, texts } from '@tidemark/log/contract';
import { openFolderObjects } from '@tidemark/store-objects';
import { expect, test } from 'vitest';

import { migrate, openDatabase, openPostgresStore } from '../src/index.ts';
import { startPostgres } from './postgres-server.ts';

interface Follower {
  /** Resolves when the existing records were read. */
  readonly hasRead: Promise<void>;
  /** Next record, or the code of the error. */
  readonly next: Promise<string>;
}

/** Follows a session that has `length` records. */
function follow(log: Log, id: SessionId, length: number): Follower {
  const { promise: hasRead, resolve } = Promise.withResolvers<void>();
  const read = async (): Promise<string> => {
    let count = 0;
    for await (const record of log.tail(id, 0, new AbortController().signal)) {
      count += 1;
      if (count === length) resolve();
      if (count > length) return textOrKind(record);
    }
    return 'ended';
  };
  const next = read().catch((error: unknown) => (error instanceof LogError ? error.code : String(error)));
  return { hasRead, next };
}

test('flushed records survive crashes, and a writer whose records were lost refuses to go on', async () => {
  // The server writes unflushed commits rarely, so that a crash loses some of them.
  const server = await startPostgres(['-c', 'wal_writer_delay=10000', '-c', 'wal_writer_flush_after=1GB']);
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-objects-'));
  const url = `${server.url}/postgres`;
  await migrate(url);
  const database = openDatabase({ url });
  const store = openPostgresStore({ database, objects: openFolderObjects(folder) });
  const session = sessionId(randomUUID());
  let writer = await sessionWith(store, session, 0);
  let flushed: readonly string[] = [];
  let lostOnce = false;
  let keptOnce = false;
  for (let round = 0; round < 6; round += 1) {
    for (let one = 0; one < 3; one += 1) await appended(writer, [prompt(`${round}.${one}`)]);
    await writer.sync();
    flushed = await texts(store, session);
    // In each second round, nothing is written between the flush and the crash.
    const unflushed = round % 2;
    for (let one = 0; one < unflushed; one += 1) await appended(writer, [prompt(`${round} unflushed`)]);
    const follower = follow(store, session, (await texts(store, session)).length);
    await follower.hasRead;
    await server.crash();
    await server.start();
    const now = await texts(store, session);
    expect(now.slice(0, flushed.length)).toEqual(flushed);
    const result = await appended(writer, [prompt('next')]).catch((error: unknown) => error);
    if (now.length === flushed.length + unflushed) {
      keptOnce = true;
      expect(result).toMatchObject([{ kind: 'prompt.given' }]);
      expect(await texts(store, session)).toEqual([...now, 'next']);
      expect(await follower.next).toBe('next');
    } else {
      lostOnce = true;
      expect(result).toBeInstanceOf(LogError);
      expect(result).toMatchObject({ code: 'log/moved' });
      expect(await texts(store, session)).toEqual(flushed);
      await writer.close();
      writer = await store.open(session);
      await appended(writer, [prompt('instead'), prompt('of them')]);
      expect(await follower.next).toBe('log/moved');
    }
  }
  expect([keptOnce, lostOnce]).toEqual([true, true]);
  await writer.close();
  await database.close();
  await server.remove();
  await rm(folder, { recursive: true, force: true });
});
