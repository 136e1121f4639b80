// Public exports of the PostgreSQL store.

export type { CommandAnswer, CommandQueue, CommandRequest, TakenCommand, TenantSession } from './command-queue.ts';
export { createCommandQueue } from './command-queue.ts';
export type { Database, DatabaseOptions, FunctionName } from './database.ts';
export { openDatabase } from './database.ts';
export { migrate } from './migrate.ts';
export type { PostgresStoreOptions } from './store.ts';
export { openPostgresStore } from './store.ts';
