// Files of a workspace, read without following a link and within bounds, as what a digest is made of.

import type { BigIntStats } from 'node:fs';
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';

import { SettingsError } from './settings-error.ts';

/** One path and its state. */
export interface FoundFile {
  /** Below the root that was read, with `/`. */
  readonly path: string;
  /** `none`: there is no file, or nothing at all, where one would count. */
  readonly kind: 'file' | 'link' | 'folder' | 'other' | 'none';
  /** SHA-256 in hex, of the bytes of a file or of where a link leads; else empty. */
  readonly digest: string;
}

/** How much may still be read; it shrinks with each file. */
export interface ReadBudget {
  files: number;
  bytes: number;
}

const MOST_FILES = 5_000;
const MOST_BYTES = 64 * 1024 * 1024;

/** Returns a budget of 5,000 files and 64 MiB. */
export function readBudget(): ReadBudget {
  return { files: MOST_FILES, bytes: MOST_BYTES };
}

/** Returns the SHA-256 in hex. */
export function sha256(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * Returns every file below a folder, by path. A link is named and not followed; folders named in `without` are left out.
 *
 * @throws SettingsError `settings/too-much` where the budget is used up.
 */
export async function filesBelow(
  root: string,
  budget: ReadBudget,
  without: ReadonlySet<string> = new Set(),
): Promise<readonly FoundFile[]> {
  const found: FoundFile[] = [];
  const folders = [''];
  // It grows as it is walked.
  for (const folder of folders) {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (!entry.isDirectory()) found.push(await fileAt(join(root, path), path, budget));
      else if (!without.has(entry.name)) folders.push(path);
    }
    if (folders.length > MOST_FILES) throw tooMuch(root);
  }
  return found.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Returns the state of what lies at a full path, under the name `path`. @throws SettingsError as `filesBelow` does. */
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
 * Returns the bytes of a plain file, opened without following a link and without waiting for a writer; `undefined` for
 * anything else, such as a pipe.
 *
 * @throws SettingsError `settings/too-much` for one of more than `most` bytes.
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

/** Returns the error of a path that holds more than can be looked through. */
function tooMuch(path: string): SettingsError {
  const message = `${path} is more than can be looked through: ${MOST_FILES} files, ${MOST_BYTES / 1024 / 1024} MiB`;
  return new SettingsError('settings/too-much', message, { path });
}

/** Returns the code of an error of the system, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function noLink(error: unknown): undefined {
  if (codeOf(error) === 'EINVAL') return undefined;
  throw error;
}

/** A socket cannot be opened. */
function noFile(error: unknown): undefined {
  if (codeOf(error) === 'ENXIO' || codeOf(error) === 'EOPNOTSUPP') return undefined;
  throw error;
}
