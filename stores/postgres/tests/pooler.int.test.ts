// Runs the contract tests behind a pooler in transaction mode, which gives the statements of a program to any of a few
// connections. A restart of the pooler is only a pause.

import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { sessionId } from '@tidemark/log';
import { appended, describeLogContract, prompts, sessionWith, texts } from '@tidemark/log/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { Database } from '../src/index.ts';
import { openDatabase } from '../src/index.ts';
import { freePort } from './postgres-server.ts';
import { storeUnderTest } from './store-under-test.ts';
import type { MigratedDatabase } from './test-database.ts';
import { createMigrated } from './test-database.ts';

const skips = spawnSync('pgbouncer', ['--version']).status !== 0;
if (skips) process.stdout.write('pooler.int.test.ts is skipped: there is no pgbouncer (npm run setup:system)\n');

let folder: string;
let addresses: MigratedDatabase;
let pooler: ChildProcess;
let database: Database;

async function startPooler(): Promise<ChildProcess> {
  const asUser = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn('pgbouncer', [...asUser, join(folder, 'pgbouncer.ini')], { stdio: 'ignore' });
  await once(child, 'spawn');
  return child;
}

async function stopPooler(): Promise<void> {
  const ended = once(pooler, 'exit');
  pooler.kill('SIGQUIT');
  await ended;
}

describe.skipIf(skips)('behind a pooler in transaction mode', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidemark-pooler-'));
    await chmod(folder, 0o755);
    addresses = await createMigrated();
    const port = await freePort();
    const server = new URL(addresses.program);
    const target = `host=127.0.0.1 port=${server.port} user=${server.username} password=${server.password}`;
    const settings = [
      '[databases]',
      `* = ${target}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = any',
      'pool_mode = transaction',
      'default_pool_size = 3',
    ];
    await writeFile(join(folder, 'pgbouncer.ini'), settings.join('\n'));
    pooler = await startPooler();
    server.port = `${port}`;
    database = openDatabase({ url: server.href });
  });
  afterAll(async () => {
    await database.close();
    await stopPooler();
    await rm(folder, { recursive: true, force: true });
  });

  describeLogContract('the PostgreSQL store', () => storeUnderTest(database, addresses.owner));

  test('a writer goes on after restarts of the pooler, and each record is there once', async () => {
    const { log, dispose } = await storeUnderTest(database, addresses.owner);
    const session = sessionId('restarted');
    const writer = await sessionWith(log, session, 0);
    for (let round = 0; round < 4; round += 1) {
      await appended(writer, prompts(2, 10 * round));
      const pending = [appended(writer, prompts(3, 10 * round + 2)), writer.sync()];
      await stopPooler();
      pooler = await startPooler();
      await Promise.all(pending);
    }
    await writer.close();
    const expected = [0, 1, 2, 3].flatMap((round) => [0, 1, 2, 3, 4].map((one) => `${10 * round + one}`));
    expect(await texts(log, session, 1)).toEqual(expected);
    await dispose();
  });
});
