// Reads the files of a workspace for a digest, within limits and without following links.

import type { BigIntStats } from 'node:fs';
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';

import { SettingsError } from './settings-error.ts';

/** Path of a file, with the type of the file and a digest of its content. */
export interface FoundFile {
  /** Path below the root that was read, with `/` as separator. */
  readonly path: string;
  /** Type of the file. `none`: there is no file at the path, but if a file is created there, it is used. */
  readonly kind: 'file' | 'link' | 'folder' | 'other' | 'none';
  /** SHA-256 in hex: of the bytes of a file, or of the path that a link points to. Empty for other kinds. */
  readonly digest: string;
}

/** Number of files and bytes that may still be read. Each file that is read reduces these numbers. */
export interface ReadBudget {
  files: number;
  bytes: number;
}

const MAX_FILES = 5_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** Returns a budget of 5,000 files and 64 MiB. */
export function readBudget(): ReadBudget {
  return { files: MAX_FILES, bytes: MAX_BYTES };
}

/** Returns the SHA-256 of the bytes, in hex. */
export function sha256(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * Returns every file below a folder, sorted by path. A link is listed and not followed. Folders whose name is in
 * `without` are skipped.
 *
 * @throws SettingsError `settings/too-much` when the budget is used up.
 */
export async function filesBelow(
  root: string,
  budget: ReadBudget,
  without: ReadonlySet<string> = new Set(),
): Promise<readonly FoundFile[]> {
  const found: FoundFile[] = [];
  const folders = [''];
  // Subfolders are added to `folders` while the loop runs.
  for (const folder of folders) {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (!entry.isDirectory()) found.push(await fileAt(join(root, path), path, budget));
      else if (!without.has(entry.name)) folders.push(path);
    }
    if (folders.length > MAX_FILES) throw tooMuch(root);
  }
  return found.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/**
 * Returns the state of the file at the path `full`. The result contains `path` as the path of the file. @throws
 * SettingsError as `filesBelow` does.
 */
export async function fileAt(full: string, path: string, budget: ReadBudget): Promise<FoundFile> {
  budget.files -= 1;
  if (budget.files < 0) throw tooMuch(full);
  const target = await readlink(full).catch(noLink);
  if (target !== undefined) return { path, kind: 'link', digest: sha256(target) };
  const bytes = await readPlainFile(full, budget.bytes);
  if (bytes === undefined) return { path, kind: 'other', digest: '' };
  budget.bytes -= bytes.length;
  return { path, kind: 'file', digest: sha256(bytes) };
}

/**
 * Returns the bytes of a regular file. The file is opened without following a link and without waiting for a writer.
 * For any other kind of file, such as a pipe, returns `undefined`.
 *
 * @throws SettingsError `settings/too-much` for a file of more than `most` bytes.
 */
export async function readPlainFile(path: string, most: number): Promise<Buffer | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(noFile);
  if (file === undefined) return undefined;
  try {
    const found: BigIntStats = await file.stat({ bigint: true });
    if (!found.isFile()) return undefined;
    if (found.size > most) throw tooMuch(path);
    const bytes = Buffer.alloc(Number(found.size));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    return bytes.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function tooMuch(path: string): SettingsError {
  const message = `${path} is larger than the maximum that is checked: ${MAX_FILES} files, ${MAX_BYTES / 1024 / 1024} MiB`;
  return new SettingsError('settings/too-much', message, { path });
}

/** Returns the code of a system error, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function noLink(error: unknown): undefined {
  if (codeOf(error) === 'EINVAL') return undefined;
  throw error;
}

/** Returns `undefined` for a socket, which cannot be opened. Throws any other error. */
function noFile(error: unknown): undefined {
  if (codeOf(error) === 'ENXIO' || codeOf(error) === 'EOPNOTSUPP') return undefined;
  throw error;
}
