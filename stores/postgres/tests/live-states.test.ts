// Tests the states of running sessions, with the rights of a program.

import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { sessionId } from '@tidemark/log';
import { appended, created } from '@tidemark/log/contract';
import { openFolderObjects } from '@tidemark/store-objects';
import { afterAll, beforeAll, expect, test } from 'vitest';

import type { Database } from '../src/index.ts';
import { createLiveStates, openDatabase, openPostgresStore } from '../src/index.ts';
import { createMigrated } from './test-database.ts';

let database: Database;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-states-'));
  database = openDatabase({ url: (await createMigrated()).program });
});
afterAll(async () => {
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

test('a state is read by its tenant only, while the writer of the session holds it', async () => {
  const states = createLiveStates(database);
  const session = sessionId(randomUUID());
  const at = { tenant: 'default', session };
  const store = openPostgresStore({ database, objects: openFolderObjects(folder) });
  await states.put(at, 'without a writer');
  expect(await states.read('default', [session])).toEqual(new Map());
  const writer = await store.create(session);
  await appended(writer, [created(session)]);
  await states.put(at, '"first \\u0000"');
  await states.put(at, '"second \\u0000"');
  await states.forget();
  expect(await states.read('default', [session])).toEqual(new Map([[session, '"second \\u0000"']]));
  expect(await states.read('another', [session])).toEqual(new Map());
  await states.put(at, undefined);
  expect(await states.read('default', [session])).toEqual(new Map());
  await states.put(at, '"third"');
  await writer.close();
  expect(await states.read('default', [session])).toEqual(new Map());
  const next = await store.open(session);
  // The state belongs to an earlier writer.
  expect(await states.read('default', [session])).toEqual(new Map());
  await next.close();
});
