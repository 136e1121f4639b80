// Which branch a folder is on, read from git's own files: running git in a folder of somebody else runs what its
// configuration names. Formats: gitrepository-layout(5), "HEAD" and "gitfile".

import { dirname, join, resolve } from 'node:path';
import { stat } from 'node:fs/promises';
import { codeOf } from '../confine/file-problem.ts';
import { readHead } from './open-plain-file.ts';

/** Where HEAD points. */
export type GitHead =
  | { readonly at: 'branch'; readonly branch: string }
  | { readonly at: 'commit'; readonly commit: string }
  /** There is a repository, and its HEAD cannot be read this way. */
  | { readonly at: 'unknown' };

/** A path in a gitfile may be as long as the system allows. */
const MOST_BYTES = 4_352;
/** What git writes into HEAD when branches are kept in another format (reftable). */
const ELSEWHERE = '.invalid';

/** The HEAD of the repository that this folder lies in, the nearest one; `undefined` when it lies in none. */
export async function gitHead(folder: string): Promise<GitHead | undefined> {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const found = await gitFolder(join(at, '.git'));
    if (found !== undefined) return parseHead((await readHead(join(found, 'HEAD'), MOST_BYTES)) ?? '');
    if (at === dirname(at)) return undefined;
  }
}

/** The folder itself, or the one that the gitfile of a worktree or submodule names. */
async function gitFolder(path: string): Promise<string | undefined> {
  const kind = await kindOf(path);
  if (kind === 'folder') return path;
  if (kind !== 'file') return undefined;
  const named = /^gitdir: ([^\n\0]+)/.exec((await readHead(path, MOST_BYTES)) ?? '')?.[1];
  return named === undefined ? undefined : resolve(dirname(path), named.trimEnd());
}

async function kindOf(path: string): Promise<'folder' | 'file' | undefined> {
  try {
    const found = await stat(path);
    return found.isDirectory() ? 'folder' : found.isFile() ? 'file' : undefined;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP'].includes(codeOf(error) ?? '')) return undefined;
    throw error;
  }
}

function parseHead(text: string): GitHead {
  const [line = ''] = text.split('\n', 1);
  const branch = /^ref: (?:refs\/heads\/)?(.+)$/.exec(line.trimEnd())?.[1];
  if (branch !== undefined && branch !== ELSEWHERE) return { at: 'branch', branch };
  return /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(line) ? { at: 'commit', commit: line } : { at: 'unknown' };
}
