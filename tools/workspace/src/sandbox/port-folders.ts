// Port folders contain the sockets of open ports. If a process is killed, its folder remains. The next sandbox that
// starts removes this folder.

import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeOf } from '../confine/file-problem.ts';
import { PROCESS_MARK, processMark, processState } from '../write/process-mark.ts';

/** Pattern of the folder name. Earlier versions created names without the text of `processMark`. */
const NAME = new RegExp(`^tidemark-ports-(?:(${PROCESS_MARK.source})-)?[0-9A-Za-z]{6}$`);

/**
 * Age in milliseconds after which a folder is removed if its process cannot be checked. A background process may keep a
 * port open for days.
 */
const LONGEST_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * Creates a folder for sockets in the temporary folder. The name of the folder contains the mark of this process.
 * Returns the absolute path of the folder.
 */
export function makePortFolder(): string {
  return mkdtempSync(join(tmpdir(), `tidemark-ports-${processMark()}-`));
}

/**
 * Removes port folders from the temporary folder if they belong to ended processes of this user. If a folder cannot be
 * removed, it remains.
 */
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
