// Writes a file that the user named, and never over another one.

import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

import { CliError, failureOf } from './failure.ts';

/**
 * Writes a new file that only the user can read. `example` is a correct way to name a file, for the next step of an
 * error.
 *
 * @throws CliError `cli/refused` if the file exists, if its folder does not exist, or if it cannot be written.
 */
export async function writeNewFile(path: string, data: string | Uint8Array, example: string): Promise<void> {
  try {
    await writeFile(path, data, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const { code } = error instanceof Error && 'code' in error ? error : { code: undefined };
    if (code === 'EEXIST')
      throw new CliError('cli/refused', `${path} exists already`, `name another file: \`${example}\``, error);
    if (code === 'ENOENT')
      throw new CliError(
        'cli/refused',
        `the folder ${dirname(path)} does not exist`,
        `create it, or name a file in another folder: \`${example}\``,
        error,
      );
    const { message, next } = failureOf(error);
    throw new CliError('cli/refused', `${path} cannot be written: ${message}`, next, error);
  }
}
