// The folder that a demo works in: made for it, and gone with it, however the process ends: done, failed, Ctrl-C, nobody
// reading any more (`… | head`), the terminal closed.

import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';

import { CliError } from '../frame/failure.ts';

const SIGNALS = ['SIGHUP', 'SIGTERM'] as const;

/**
 * Does the work in a new folder. Where `keep` is set the folder stays, but for a failure.
 *
 * @throws CliError `cli/refused` where none can be made; whatever the work throws.
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
    const next = 'name a folder that can be written to: `TMPDIR=… tidemark demo`';
    throw new CliError('cli/refused', `the demo needs a folder of its own, and none can be made: ${why}`, next, error);
  });
}
