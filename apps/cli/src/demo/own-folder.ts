// Provides a temporary folder for a demo. The folder is always removed at the end of the process: after success,
// failure, Ctrl-C, a closed pipe (`… | head`) or a closed terminal.

import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';

import { CliError } from '../frame/failure.ts';

const SIGNALS = ['SIGHUP', 'SIGTERM'] as const;

/**
 * Runs the work in a new folder and removes the folder afterwards. With `keep`, the folder remains if the work
 * succeeds. Errors of the work are rethrown.
 *
 * @throws CliError `cli/refused` when the folder cannot be created.
 */
export async function inOwnFolder<Result>(keep: boolean, work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await makeFolder();
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  const end = (signal: NodeJS.Signals): void => process.exit(128 + constants.signals[signal]);
  process.on('exit', remove);
  for (const signal of SIGNALS) process.on(signal, end);
  let done = false;
  try {
    const result = await work(folder);
    done = true;
    return result;
  } finally {
    process.off('exit', remove);
    for (const signal of SIGNALS) process.off(signal, end);
    if (!keep || !done) remove();
  }
}

function makeFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'tidemark-demo-')).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    const next = 'set a writable temporary folder: `TMPDIR=… tidemark demo`';
    throw new CliError('cli/refused', `the demo cannot create a temporary folder: ${why}`, next, error);
  });
}
