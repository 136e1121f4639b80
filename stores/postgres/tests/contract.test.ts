// Runs the contract tests of the Log port on the PostgreSQL store, with the rights of a program.

import { describeLogContract } from '@tidemark/log/contract';
import { afterAll, beforeAll } from 'vitest';

import type { Database } from '../src/index.ts';
import { openDatabase } from '../src/index.ts';
import { storeUnderTest } from './store-under-test.ts';
import type { MigratedDatabase } from './test-database.ts';
import { createMigrated } from './test-database.ts';

let addresses: MigratedDatabase;
let database: Database;

beforeAll(async () => {
  addresses = await createMigrated();
  database = openDatabase({ url: addresses.program });
});
afterAll(() => database.close());

describeLogContract('the PostgreSQL store', () => storeUnderTest(database, addresses.owner));
