// Tests the commands of sessions as rows: who can take them, and which of them count as repeated.

import { randomUUID } from 'node:crypto';

import { sessionId } from '@tidemark/log';
import { afterAll, beforeAll, expect, test } from 'vitest';

import type { CommandQueue, Database, TenantSession } from '../src/index.ts';
import { createCommandQueue, openDatabase } from '../src/index.ts';
import type { MigratedDatabase } from './test-database.ts';
import { asOwner, createMigrated } from './test-database.ts';

let addresses: MigratedDatabase;
let database: Database;
let queue: CommandQueue;

beforeAll(async () => {
  addresses = await createMigrated();
  database = openDatabase({ url: addresses.program });
  queue = createCommandQueue(database);
});
afterAll(() => database.close());

const newPlace = (): TenantSession => ({ tenant: 'default', session: sessionId(randomUUID()) });
const REQUEST = { method: 'POST', path: '/sessions/x/fork' };

test('a command that was given back is not repeated, and one whose worker was killed is', async () => {
  const at = newPlace();
  const id = await queue.send(at, REQUEST, 'test');
  const taken = await queue.take(at, { worker: 'one', holds: false });
  expect(taken).toMatchObject({ id, isRepeated: false, beganAtLength: 0 });
  expect(await queue.take(at, { worker: 'two', holds: false })).toBeUndefined();
  await queue.giveBack(at, id, 'one');
  expect(await queue.take(at, { worker: 'two', holds: false })).toMatchObject({ id, isRepeated: false });
  await asOwner(addresses.owner, (client) =>
    client.query('update tidemark.commands set worker_until = clock_timestamp() where id = $1', [id]),
  );
  expect(await queue.take(at, { worker: 'three', holds: false })).toMatchObject({ id, isRepeated: true });
  expect(await queue.finish(at, id, 'two', { status: 200, body: {} })).toBe(false);
  expect(await queue.finish(at, id, 'three', { status: 200, body: {} })).toBe(true);
});

test('only the holder of the lease takes a command of a session that is held', async () => {
  const at = newPlace();
  await database.call('take_session', [at.tenant, at.session, 'one/writer', 60_000, 0, '']);
  await queue.send(at, REQUEST, 'test');
  expect(await queue.take(at, { worker: 'two', holds: true })).toBeUndefined();
  expect(await queue.take(at, { worker: 'two', holds: false })).toBeUndefined();
  expect(await queue.take(at, { worker: 'one', holds: true })).toMatchObject({ isRepeated: false });
});
