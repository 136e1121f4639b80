// Migrations: brings the schema of a database to this version.

import { fileURLToPath } from 'node:url';

import { runner } from 'node-pg-migrate';

/** Schema of all tables and functions. */
const SCHEMA = 'tidemark';

/**
 * Runs the migrations that the database does not have yet, all in one transaction, and returns their names. Several
 * processes can call it at the same time: one of them migrates, and the others wait. It needs a direct connection,
 * because its lock belongs to a connection and not to a transaction.
 *
 * @param url Address of the database, of a role that owns the schema or may create it.
 */
export async function migrate(url: string): Promise<readonly string[]> {
  const done = await runner({
    databaseUrl: url,
    dir: fileURLToPath(new URL('./migrations', import.meta.url)),
    direction: 'up',
    schema: SCHEMA,
    createSchema: true,
    migrationsTable: 'migrations',
    advisoryLockMode: 'wait',
    log: () => undefined,
  });
  return done.map(({ name }) => name);
}
