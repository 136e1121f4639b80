// Process of a server whose sessions are run by workers. Tests start and kill it. It prints its address.
//
// Arguments: <address of the database> <folder> <URL of the provider> <name of the server> <token>

import { writeSync } from 'node:fs';

import { openSessionProjection } from '@tidemark/analytics';
import { createAgent } from '@tidemark/kit';
import { openSessionServer } from '@tidemark/server';
import { openFolderObjects } from '@tidemark/store-objects';
import { createCommandQueue, createLiveStates, openDatabase, openPostgresStore } from '@tidemark/store-postgres';

import { createRemoteSessions, openWakeUp } from '../src/index.ts';

const [url = '', folder = '', baseURL = '', name = '', token = ''] = process.argv.slice(2);
const database = openDatabase({ url });
const log = openPostgresStore({ database, objects: openFolderObjects(folder), lease: 2_000 });
const wakeUp = await openWakeUp(url, (error) => void writeSync(2, `${name}: ${String(error)}\n`));
const refuse = async (): Promise<never> => {
  throw new Error('this server opens no session for a command');
};
const server = await openSessionServer({
  log,
  opener: {
    async create(_choices, ask) {
      const agent = createAgent({
        model: 'claude-sonnet-4-5',
        apiKey: 'simulated',
        baseURL,
        store: log,
        permissions: { mode: 'auto', allowUnsandboxed: true, ask },
      });
      return { session: await agent.open(), close: () => agent.close() };
    },
    open: refuse,
    fork: refuse,
  },
  projection: await openSessionProjection({ path: undefined, log, rowOf: () => undefined, rules: 'test' }),
  remote: createRemoteSessions(createCommandQueue(database), wakeUp, createLiveStates(database), 'default', name),
  token,
  version: 'test',
  port: 0,
});
writeSync(1, `${server.url}\n`);
