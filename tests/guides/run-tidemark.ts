// Runs the command in the repository as a reader of the documents would, with all its data in a separate folder.

import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { inject } from 'vitest';

/** Root folder of the repository. */
export const ROOT: string = resolve(import.meta.dirname, '..', '..');

/** Exit code and output of a run. */
export interface Ran {
  readonly exit: number | string | null;
  readonly out: string;
  readonly err: string;
}

/** Path of the command `tidemark`. */
export const BIN: string = inject('command');

/**
 * Runs `tidemark` with these arguments and keeps all its data in `folder`. If the command fails, the returned promise
 * resolves with its exit code and does not reject.
 */
export function runTidemark(args: readonly string[], folder: string): Promise<Ran> {
  const options = {
    cwd: ROOT,
    env: {
      ...process.env,
      NO_COLOR: '1',
      TIDEMARK_HOME: join(folder, 'home'),
      XDG_CONFIG_HOME: join(folder, 'own'),
    },
    maxBuffer: 16 * 1024 * 1024,
  };
  return new Promise((done) => {
    execFile(process.execPath, [BIN, ...args], options, (error, out, err) => {
      done({ exit: error === null ? 0 : (error.code ?? null), out, err });
    });
  });
}
