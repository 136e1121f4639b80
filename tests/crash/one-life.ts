// Runs one process that works on a session, and may kill it at a random instant.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { LedgerCall } from '@tidemark/simulator';
import type { Random } from './random.ts';

/**
 * State of one crash test: a home whose sessions' processes are killed, and a simulated provider that keeps running.
 */
export interface Lane {
  readonly home: string;
  readonly url: string;
  readonly calls: readonly LedgerCall[];
  /** Called for each request that arrives at the provider. `liveOnce` sets it. */
  onRequest: () => void;
}

/**
 * Runs one process. With `random`, may kill the process at a random instant. Returns whether the process was killed,
 * and its output.
 */
export async function liveOnce(
  program: string,
  lane: Lane,
  name: string,
  random: Random | undefined,
): Promise<{ readonly killed: boolean; readonly said: string }> {
  const folder = join(lane.home, name);
  await mkdir(folder, { recursive: true });
  const child = spawn(process.execPath, [program, lane.home, folder, lane.url, name], {
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = once(child, 'close');
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const kill = (): boolean => child.kill('SIGKILL');
  const timers: NodeJS.Timeout[] = [];
  // Some processes die during their start. Most die in their first steps: before, during or after a request or a tool
  // run.
  const fatal = random === undefined ? Infinity : Math.floor(random() * 4);
  let arrived = 0;
  if (random !== undefined && random() < 0.08) timers.push(setTimeout(kill, 20 + random() * 130));
  lane.onRequest = () => {
    if (random !== undefined && arrived++ === fatal) timers.push(setTimeout(kill, random() < 0.3 ? 0 : random() * 40));
  };
  const [, signal] = await gone;
  for (const timer of timers) clearTimeout(timer);
  return { killed: signal === 'SIGKILL', said: output };
}
