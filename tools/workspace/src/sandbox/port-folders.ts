// The folders with the sockets of open ports. A process that is killed leaves its own behind; the next sandbox that starts
// removes it.

import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeOf } from '../confine/file-problem.ts';
import { PROCESS_MARK, processMark, processState } from '../write/process-mark.ts';

/** The second form, without a mark, is that of earlier versions. */
const NAME = new RegExp(`^tidemark-ports-(?:(${PROCESS_MARK.source})-)?[0-9A-Za-z]{6}$`);

/** No command runs as long. After it a folder is removed whose process cannot be looked for. */
const LONGEST_MS = 60 * 60 * 1000;

/** Makes a folder for sockets in the temporary folder, named after this process. @returns its absolute path. */
export function makePortFolder(): string {
  return mkdtempSync(join(tmpdir(), `tidemark-ports-${processMark()}-`));
}

/** Removes what ended processes of this user left in the temporary folder. What cannot be removed stays. */
export function removeLeftPortFolders(): void {
  const folder = tmpdir();
  for (const name of unlessRefused(() => readdirSync(folder)) ?? [])
    if (NAME.test(name)) unlessRefused(() => removeLeft(join(folder, name), NAME.exec(name)?.[1]));
}

function removeLeft(path: string, mark: string | undefined): void {
  const stats = lstatSync(path);
  if (!stats.isDirectory() || stats.uid !== process.getuid?.()) return;
  const state = mark === undefined ? 'unknown' : processState(mark);
  const isOld = Date.now() - stats.mtimeMs > LONGEST_MS;
  if (state === 'ended' || (state === 'unknown' && isOld)) rmSync(path, { recursive: true, force: true });
}

function unlessRefused<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return undefined;
  }
}
