// Databases of the tests: one for each test file, with the schema of this version.

import { randomUUID } from 'node:crypto';

import { Client } from 'pg';
import { inject } from 'vitest';

import { migrate } from '../src/index.ts';

/** Creates an empty database and returns its address. */
export async function createDatabase(): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await asOwner(`${inject('postgres')}/postgres`, (client) => client.query(`create database ${name}`));
  return `${inject('postgres')}/${name}`;
}

/** Addresses of a database with the schema. */
export interface MigratedDatabase {
  /** For the owner of the tables, who sees the rows of all tenants. */
  readonly owner: string;
  /** For a program, which has the rights of a server or worker. */
  readonly program: string;
}

/** Creates a database with the schema. */
export async function createMigrated(): Promise<MigratedDatabase> {
  const owner = await createDatabase();
  await migrate(owner);
  const name = `program_${randomUUID().replaceAll('-', '')}`;
  await asOwner(owner, (client) =>
    client.query(`create role ${name} login password 'of-tests' in role tidemark_program`),
  );
  const program = new URL(owner);
  program.username = name;
  return { owner, program: program.href };
}

/** Runs SQL as the owner of the schema. */
export async function asOwner<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
