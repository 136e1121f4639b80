// Writes a page to the file that the user named. The file appears whole or not at all, and only the user can read it.

import { randomUUID } from 'node:crypto';
import { rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

import { CliError } from '../frame/failure.ts';

/** Flags of a command that can write a page. */
export interface PageFlags {
  readonly html?: string;
  readonly titles?: true;
}

/**
 * Returns the absolute path of the page that `--html` names. Returns `undefined` without `--html`.
 *
 * @throws CliError if no file can be written there.
 */
export async function pageFile({ html, titles }: PageFlags, folder: string): Promise<string | undefined> {
  if (html === undefined) {
    if (titles === undefined) return undefined;
    throw new CliError('cli/usage', '`--titles` has no effect without `--html`', 'add `--html <file>`');
  }
  if (html === '-' || html === '')
    throw new CliError(
      'cli/usage',
      `\`--html ${html === '' ? '""' : html}\` names no file`,
      'name a file: `--html audit.html`',
    );
  const path = resolve(folder, html);
  const [parent, there] = await Promise.all([kindOf(dirname(path)), kindOf(path)]);
  if (parent !== 'folder')
    throw new CliError('cli/refused', `the folder ${dirname(path)} does not exist`, 'create it, or name another file');
  if (there !== undefined && there !== 'file')
    throw new CliError('cli/refused', `${path} is not a regular file`, 'name a file: `--html audit.html`');
  return path;
}

async function kindOf(path: string): Promise<'file' | 'folder' | 'other' | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return undefined;
  return found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other';
}

/** Writes a page. An earlier file at the path is replaced. */
export async function writePage(path: string, html: string): Promise<void> {
  const next = `${path}.${randomUUID()}.new`;
  try {
    await writeFile(next, html, { mode: 0o600, flag: 'wx' });
    await rename(next, path);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
}
