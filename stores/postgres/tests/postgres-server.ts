// A PostgreSQL server on loopback, in a folder of its own.

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

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

const RUN_POSTGRES = fileURLToPath(new URL('run-postgres.ts', import.meta.url));

/** Creates and starts a server. */
export async function startPostgres(flags: readonly string[] = []): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-postgres-'));
  // Root runs the server as another user, who must reach the folder below.
  await chmod(folder, 0o755);
  const port = await freePort();
  const data = join(folder, 'data');
  const args = (life: 'new' | 'again'): readonly string[] => [data, `${port}`, life, ...flags];
  let runner = await run(args('new'));
  if (runner === undefined) throw new Error('the PostgreSQL server did not start');
  return {
    port,
    url: `postgres://owner:of-tests@127.0.0.1:${port}`,
    async crash() {
      const pid = Number.parseInt(await readFile(join(data, 'postmaster.pid'), 'utf8'), 10);
      process.kill(pid, 'SIGKILL');
      await ended(runner, () => runner?.kill('SIGKILL'));
    },
    async start() {
      runner = await runAgain(args('again'));
    },
    async remove() {
      await ended(runner, () => runner?.stdin?.end());
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Starts the process of a server. Returns `undefined` if the server does not start. */
async function run(args: readonly string[]): Promise<ChildProcess | undefined> {
  const child = spawn(process.execPath, [RUN_POSTGRES, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const gone = once(child, 'exit').then(() => undefined);
  return Promise.race([once(child.stdout, 'data').then(() => child), gone]);
}

/** Starts a server again. It refuses to start until all processes of its former life have ended. */
async function runAgain(args: readonly string[]): Promise<ChildProcess> {
  for (let tries = 1; tries <= 100; tries += 1) {
    const child = await run(args);
    if (child !== undefined) return child;
    await pause(100);
  }
  throw new Error('the PostgreSQL server does not start again');
}

async function ended(child: ChildProcess | undefined, end: () => void): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  end();
  await gone;
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
