// Process of a worker that tests start, stop and kill. Its tools write a line to a file each time they really run, so
// that a test sees a repeated call.
//
// Arguments: <address of the database> <folder> <URL of the provider> <name of the worker>

import { appendFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import type { Asker } from '@tidemark/agent';
import { openSessionProjection } from '@tidemark/analytics';
import { createAgent, defineTool } from '@tidemark/kit';
import { newToken, openSessionApp } from '@tidemark/server';
import { openFolderObjects } from '@tidemark/store-objects';
import { createCommandQueue, openDatabase, openPostgresStore } from '@tidemark/store-postgres';
import { z } from 'zod';

import { createHandedLog, openWakeUp, startSessionWorker } from '../src/index.ts';
import { TOOLS } from './worked-script.ts';

const [url = '', folder = '', baseURL = '', name = ''] = process.argv.slice(2);
const database = openDatabase({ url });
const onError = (error: unknown): void => void writeSync(2, `${name}: ${String(error)}\n`);

const handed = createHandedLog(openPostgresStore({ database, objects: openFolderObjects(folder), lease: 2_000 }));
const { log } = handed;

const createOne = (ask: Asker): ReturnType<typeof createAgent> =>
  createAgent({
    model: 'claude-sonnet-4-5',
    apiKey: 'simulated',
    baseURL,
    store: log,
    tools: TOOLS.map(({ name: tool, effect }) =>
      defineTool({
        name: tool,
        description: `Does a piece of work of the kind ${tool}.`,
        input: z.object({ piece: z.string(), ms: z.number() }),
        effect,
        run: async ({ piece, ms }, context) => {
          await pause(ms / 2);
          appendFileSync(join(folder, 'ran.txt'), `${context.session} ${context.call}\n`);
          await pause(ms / 2);
          return `${tool} ${piece}`;
        },
      }),
    ),
    permissions: { mode: 'auto', allowUnsandboxed: true, ask },
    connection: { retry: { initialDelayMs: 1, maxDelayMs: 5 } },
  });

const token = newToken();
const app = openSessionApp({
  log,
  opener: {
    async create(_choices, ask) {
      const agent = createOne(ask);
      return { session: await agent.open(), close: () => agent.close() };
    },
    async open(id, ask) {
      const agent = createOne(ask);
      return { session: await agent.open(id), close: () => agent.close() };
    },
    async fork(id, how, ask) {
      const agent = createOne(ask);
      return { session: await agent.fork(id, how), close: () => agent.close() };
    },
  },
  projection: await openSessionProjection({ path: undefined, log, rowOf: () => undefined, rules: 'test' }),
  token,
  version: 'test',
  idleMs: 1_000,
});

const worker = await startSessionWorker({
  name,
  queue: createCommandQueue(database),
  wakeUp: await openWakeUp(url, onError),
  openTenant: async () => ({ app, log, token }),
  onError,
  sweepMs: 500,
});
writeSync(1, 'ready\n');

process.once('SIGTERM', () => {
  const drain = async (): Promise<void> => {
    handed.stop();
    await worker.stop();
    await app.close();
    await database.close();
    writeSync(1, 'drained\n');
    process.exit(0);
  };
  drain().catch(onError);
});
