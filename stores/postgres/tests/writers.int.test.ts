// Tests writers in separate processes, on connections that are cut, and on a server that crashes.

import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Log, LogWriter, SessionId } from '@tidemark/log';
import { LogError, sessionId } from '@tidemark/log';
import { appended, fails, prompt, prompts, sessionWith, texts } from '@tidemark/log/contract';
import type { Child } from '@tidemark/log/contract/child';
import { startChild } from '@tidemark/log/contract/child';
import { openFolderObjects } from '@tidemark/store-objects';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { Database } from '../src/index.ts';
import { openDatabase, openPostgresStore } from '../src/index.ts';
import type { MigratedDatabase } from './test-database.ts';
import { asOwner, createMigrated } from './test-database.ts';

const HOLD_SESSION = fileURLToPath(new URL('hold-session.ts', import.meta.url));

/** Duration of the leases, in milliseconds. */
const LEASE = 1_000;

let folder: string;
let addresses: MigratedDatabase;
let database: Database;
let store: Log;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-objects-'));
  addresses = await createMigrated();
  database = openDatabase({ url: addresses.program });
  store = openPostgresStore({ database, objects: openFolderObjects(folder), lease: LEASE });
});
afterAll(async () => {
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

const newSession = (): SessionId => sessionId(randomUUID());

async function holding(session: SessionId, work: (holder: Child) => Promise<void>): Promise<void> {
  const holder = startChild(process.execPath, [HOLD_SESSION, addresses.program, folder, `${LEASE}`, session]);
  try {
    await work(holder);
  } finally {
    await holder.kill();
  }
}

/** Opens a session as soon as no writer holds it. */
async function openFree(session: SessionId): Promise<LogWriter> {
  let writer: LogWriter | undefined;
  await expect
    .poll(
      async () => {
        writer = await store.open(session).catch((error: unknown) => {
          if (error instanceof LogError && error.code === 'log/locked') return undefined;
          throw error;
        });
        return writer !== undefined;
      },
      { timeout: 30_000, interval: 50 },
    )
    .toBe(true);
  if (writer === undefined) throw new Error('unreachable');
  return writer;
}

describe('a writer in another process', () => {
  test('keeps its session for longer than a lease, and its records are read here', async () => {
    const session = newSession();
    await holding(session, async (holder) => {
      expect(await holder.ask('create')).toBe('created');
      const end = performance.now() + 2.5 * LEASE;
      while (performance.now() < end) await fails(store.open(session), 'log/locked');
      expect(await holder.ask('append one')).toBe('length 2');
      expect(await texts(store, session)).toEqual(['session.created', 'one']);
      expect(await holder.ask('close')).toBe('closed');
      await (await store.open(session)).close();
    });
  });

  test('loses its session after it was killed, with nothing that it wrote', async () => {
    const session = newSession();
    await holding(session, async (holder) => {
      expect(await holder.ask('create')).toBe('created');
      expect(await holder.ask('append one')).toBe('length 2');
      await holder.kill();
      const writer = await openFree(session);
      expect([writer.length, writer.fence]).toEqual([2, 2]);
      await appended(writer, [prompt('two')]);
      await writer.close();
      expect(await texts(store, session)).toEqual(['session.created', 'one', 'two']);
    });
  });

  test('writes nothing after it was stopped and another writer has taken its session', async () => {
    const session = newSession();
    await holding(session, async (holder) => {
      expect(await holder.ask('create')).toBe('created');
      holder.signal('SIGSTOP');
      const writer = await openFree(session);
      await appended(writer, [prompt('taken')]);
      holder.tell('append late');
      holder.signal('SIGCONT');
      expect(await holder.hear()).toBe('log/moved');
      expect(await holder.ask('append later')).toBe('log/latched');
      expect(await holder.ask('sync')).toBe('log/latched');
      expect(await holder.ask('close')).toBe('closed');
      await appended(writer, [prompt('still')]);
      await writer.close();
      expect(await texts(store, session)).toEqual(['session.created', 'taken', 'still']);
    });
  });

  test('goes on after it was stopped for longer than its lease if no other writer has come', async () => {
    const session = newSession();
    await holding(session, async (holder) => {
      expect(await holder.ask('create')).toBe('created');
      holder.signal('SIGSTOP');
      const ended = `select lease_until < clock_timestamp() as ended from tidemark.sessions where session = $1`;
      await expect
        .poll(async () => (await asOwner(addresses.owner, (client) => client.query(ended, [session]))).rows, {
          timeout: 30_000,
        })
        .toEqual([{ ended: true }]);
      holder.tell('append woken');
      holder.signal('SIGCONT');
      expect(await holder.hear()).toBe('length 2');
      expect(await texts(store, session)).toEqual(['session.created', 'woken']);
    });
  });
});

describe('connections that are cut', () => {
  test('lose no record and double none', async () => {
    const session = newSession();
    const writer = await sessionWith(store, session, 0);
    const cut = `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'tidemark'`;
    const stop = new AbortController();
    const cutting = asOwner(addresses.owner, async (client) => {
      let count = 0;
      for (; !stop.signal.aborted; count += 1) await client.query(`${cut}; select pg_sleep(0.02)`);
      return count;
    });
    const reading = (async () => {
      const seen: number[] = [];
      while (!stop.signal.aborted) seen.push((await texts(store, session)).length);
      return seen;
    })();
    for (let at = 0; at < 200; at += 1) {
      await appended(writer, prompts(1 + (at % 3), 10 * at));
      if (at % 5 === 0) await writer.sync();
    }
    stop.abort();
    expect(await cutting).toBeGreaterThan(20);
    const lengths = await reading;
    expect(lengths).toEqual(lengths.toSorted((a, b) => a - b));
    await writer.close();
    const expected = Array.from({ length: 200 }, (_, at) => prompts(1 + (at % 3), 10 * at)).flat();
    expect(await texts(store, session, 1)).toEqual(
      expected.map((event) =>
        event.kind === 'prompt.given' && event.data.parts[0]?.type === 'text' ? event.data.parts[0].text : '',
      ),
    );
  });

  test('end a call with `log/unreachable` if the database does not come back', async () => {
    const nowhere = openDatabase({ url: 'postgres://nobody:secret-word@127.0.0.1:1/none', patience: 300 });
    const away = openPostgresStore({ database: nowhere, objects: openFolderObjects(folder) });
    const error = await fails(away.open(newSession()), 'log/unreachable');
    expect(error.message).not.toContain('secret-word');
    await nowhere.close();
  });
});

describe('a tenant', () => {
  test('sees no session of another tenant, and can use the same id', async () => {
    const session = newSession();
    await (await sessionWith(store, session, 1)).close();
    const other = openPostgresStore({ database, tenant: 'other', objects: openFolderObjects(join(folder, 'other')) });
    expect((await other.sessions()).sessions).toEqual([]);
    await fails(other.open(session), 'log/missing');
    const writer = await sessionWith(other, session, 3);
    await writer.close();
    expect((await texts(store, session)).length).toBe(2);
    expect((await texts(other, session)).length).toBe(4);
  });

  test('gets no row without a name, and a program can change no record', async () => {
    await (await sessionWith(store, newSession(), 1)).close();
    const asProgram = (text: string): Promise<unknown> =>
      asOwner(addresses.program, async (client) => (await client.query(text)).rows);
    expect(await asProgram('select * from tidemark.records')).toEqual([]);
    expect(await asProgram('select * from tidemark.sessions')).toEqual([]);
    const named = `set_config('tidemark.tenant', 'default', false)`;
    for (const text of [
      `update tidemark.records set line = 'x' where ${named} is not null`,
      'truncate tidemark.records',
      'select * from tidemark.records_0',
      'drop table tidemark.records',
      'create table tidemark.mine (a int)',
      `insert into tidemark.sessions (tenant, session, start, length, chain, checked) values ('other', 's', 0, 0, '', 0)`,
    ]) {
      await expect(asProgram(text), text).rejects.toThrow(/permission denied|must be owner|row-level security/);
    }
  });
});
