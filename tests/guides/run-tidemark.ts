// Runs the command as a reader of the documents would, in the clone, with everything kept in a folder of its own.

import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';

/** The clone. */
export const ROOT: string = resolve(import.meta.dirname, '..', '..');

/** What a run came to. */
export interface Ran {
  readonly exit: number | string | null;
  readonly out: string;
  readonly err: string;
}

/** The command. */
export const BIN: string = resolve(ROOT, 'apps', 'cli', 'bin', 'tidemark.cjs');

/** Runs `tidemark` with these arguments, everything kept in this folder. A failure is an exit code, never a throw. */
export function runTidemark(args: readonly string[], folder: string): Promise<Ran> {
  const options = {
    cwd: ROOT,
    env: {
      ...process.env,
      NO_COLOR: '1',
      TIDEMARK_HOME: join(folder, 'home'),
      XDG_CONFIG_HOME: join(folder, 'own'),
      NODE_COMPILE_CACHE: join(folder, 'compiled'),
    },
    maxBuffer: 16 * 1024 * 1024,
  };
  return new Promise((done) => {
    execFile(process.execPath, [BIN, ...args], options, (error, out, err) => {
      done({ exit: error === null ? 0 : (error.code ?? null), out, err });
    });
  });
}
