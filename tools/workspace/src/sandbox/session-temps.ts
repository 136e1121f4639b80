// Temporary folders of sessions. All sandboxed commands of a session see the same folder as `/tmp`, so a command can use
// the files of another. The folder is private, and it is removed when the session closes. A folder that a killed process
// left is removed when the next sandbox is created.

import { execFile } from 'node:child_process';
import { lstatSync, mkdtempSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { codeOf } from '../confine/file-problem.ts';
import { PROCESS_MARK, processMark, processState } from '../write/process-mark.ts';
import { systemProgram } from './bubblewrap.ts';

/** Temporary folders of the open sessions. */
export interface SessionTemps {
  /** Gives the commands of a session a common folder, until the session is closed here. */
  open(session: string): void;
  /**
   * Returns the folder of a session. It is created at the first call. Returns `undefined` for a session that is not
   * open, and if the folder cannot be created. Its commands then have an empty `/tmp` each.
   */
  folderOf(session: string): string | undefined;
  /** Removes the folder of a session. Call it after all commands of the session have ended. Never fails. */
  close(session: string): Promise<void>;
}

/**
 * Parent of the folders. It is always `/tmp`, because the sandbox covers it. A command therefore does not see the folders
 * of other sessions.
 */
const PARENT = '/tmp';

const TEMP_NAME = 'tidemark-tmp-';

const NAME = new RegExp(`^${TEMP_NAME}(${PROCESS_MARK.source})-[0-9A-Za-z]{6}$`);

/** Creates the folders of sessions. No session is open yet. */
export function createSessionTemps(): SessionTemps {
  const folders = new Map<string, string | undefined>();
  return {
    open(session) {
      if (!folders.has(session)) folders.set(session, undefined);
    },
    folderOf(session) {
      if (!folders.has(session)) return undefined;
      const folder = folders.get(session) ?? createFolder();
      folders.set(session, folder);
      return folder;
    },
    async close(session) {
      const folder = folders.get(session);
      folders.delete(session);
      if (folder !== undefined) await removeFolder(folder);
    },
  };
}

/** Creates a folder that only this user can enter. Its name contains the mark of this process. */
function createFolder(): string | undefined {
  try {
    return mkdtempSync(`${PARENT}/${TEMP_NAME}${processMark()}-`);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return undefined;
  }
}

const CHMOD = systemProgram('chmod') ?? '/bin/chmod';

/** Removes a folder with everything in it. A command may have closed folders in it, which are opened first. */
async function removeFolder(folder: string): Promise<void> {
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  await remove()
    .catch(async () => {
      await promisify(execFile)(CHMOD, ['-R', 'u+rwX', '--', folder], { env: {} }).catch(() => undefined);
      await remove();
    })
    .catch(() => undefined);
}

/**
 * Removes the folders of ended processes of this user. If the state of a process is unknown, its folder remains. Never
 * fails.
 */
export async function removeLeftTemps(): Promise<void> {
  const names = await readdir(PARENT).catch((): readonly string[] => []);
  for (const name of names) {
    const mark = NAME.exec(name)?.[1];
    if (mark !== undefined && processState(mark) === 'ended' && isOwnFolder(`${PARENT}/${name}`))
      await removeFolder(`${PARENT}/${name}`);
  }
}

function isOwnFolder(path: string): boolean {
  try {
    const stats = lstatSync(path);
    return stats.isDirectory() && stats.uid === process.getuid?.();
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return false;
  }
}
