// Starts one PostgreSQL server for all test files of a run. Each test file has databases of its own.

import type { TestProject } from 'vitest/node';

import { startPostgres } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the server, without the name of a database. */
    readonly postgres: string;
  }
}

/** Starts the server, and passes its address to the tests. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres();
  project.provide('postgres', server.url);
  return server.remove;
}
