// Draft of a folder: the text that is in the editor and was not sent. It is kept in a file of this process, so that it
// is not lost with the terminal. The next terminal of the folder takes over the file of a process that has ended.

import { createHash } from 'node:crypto';
import { readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { makeFolder, readRegularFile } from '@tidemark/files';
import { parseJson } from '@tidemark/log';

/** Draft of a folder. */
export interface KeptDraft {
  /** Returns the newest text that another terminal of the folder left when it ended. */
  findLeft(): Promise<LeftDraft | undefined>;
  /** Stores the text in place of the one before it. Secrets are masked first. An empty text is forgotten. */
  keep(text: string): Promise<void>;
}

/** Text that another terminal left. */
export interface LeftDraft {
  readonly text: string;
  /** Makes it the draft of this terminal. Without this call it is found again. */
  takeOver(): Promise<void>;
}

/** Place of the draft. `folder` is the workspace, and `mask` replaces the secrets in a text. */
export interface DraftPlace {
  readonly home: string;
  readonly folder: string;
  mask(text: string): Promise<string>;
  /** Id of this process. */
  readonly pid: number;
  /** Returns true if a process runs. */
  isRunning(pid: number): boolean;
}

/** Length of the longest draft that is kept. */
const MAX_LENGTH = 32_000;

/** Number of files of all folders. The oldest ones are removed. */
const MAX_FILES = 100;

interface DraftFile {
  readonly path: string;
  readonly name: string;
  readonly pid: number;
  readonly writtenAt: number;
}

/** Opens the draft of a folder. Its file is made when there is a text. */
export function openKeptDraft({ home, folder, mask, pid, isRunning }: DraftPlace): KeptDraft {
  const drafts = join(home, 'drafts');
  const prefix = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  const own = join(drafts, `${prefix}.${pid}.json`);
  return {
    async findLeft() {
      const files = (await filesIn(drafts)).toSorted((a, b) => b.writtenAt - a.writtenAt);
      const left = files.filter(
        (file) => file.name.startsWith(`${prefix}.`) && file.pid !== pid && !isRunning(file.pid),
      );
      const [newest, ...others] = left;
      for (const { path } of [...others, ...files.slice(MAX_FILES)]) await rm(path, { force: true });
      if (newest === undefined) return undefined;
      const text = textIn(await readRegularFile(newest.path, { most: 8 * MAX_LENGTH }), folder);
      return text === undefined ? undefined : { text, takeOver: () => rename(newest.path, own) };
    },
    async keep(text) {
      const masked = await mask(text);
      if (masked.trim() === '' || masked.length > MAX_LENGTH) return rm(own, { force: true });
      await makeFolder(home, 0o700);
      await makeFolder(drafts, 0o700);
      // A process that is killed while it writes leaves the draft before this one.
      await writeFile(`${own}.new`, JSON.stringify({ folder, text: masked }), { mode: 0o600 });
      return rename(`${own}.new`, own);
    },
  };
}

async function filesIn(drafts: string): Promise<readonly DraftFile[]> {
  // Without a folder there is no draft.
  const names = await readdir(drafts).catch(() => []);
  const files = names.map(async (name): Promise<readonly DraftFile[]> => {
    const [, pid] = /^[0-9a-f]{16}\.(\d+)\.json(?:\.new)?$/.exec(name) ?? [];
    const path = join(drafts, name);
    const found = pid === undefined ? undefined : await stat(path).catch(() => undefined);
    return found === undefined ? [] : [{ path, name, pid: Number(pid), writtenAt: found.mtimeMs }];
  });
  return (await Promise.all(files)).flat();
}

/** Returns the text of a file. A file that a process did not finish, or of another folder, has none. */
function textIn(bytes: Uint8Array, folder: string): string | undefined {
  try {
    const value: unknown = parseJson(Buffer.from(bytes).toString('utf8'));
    if (typeof value !== 'object' || value === null || !('folder' in value) || !('text' in value)) return undefined;
    return value.folder === folder && typeof value.text === 'string' ? value.text : undefined;
  } catch {
    return undefined;
  }
}
