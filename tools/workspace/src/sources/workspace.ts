// The context source `workspace`: which folder this is, and which branch it is on.

import { basename, dirname, join, resolve } from 'node:path';
import type { ContextSource } from '@tidemark/agent';
import { oneLine } from './one-line.ts';
import { stat, constants, open } from 'node:fs/promises';
import { codeOf } from '../confine/file-problem.ts';
import type { FileHandle } from 'node:fs/promises';

/** Notes the name of the workspace's folder and its git branch; asked again after what may have switched the branch. */
export function workspaceSource(): ContextSource {
  return {
    name: 'workspace',
    revision: async ({ workspace }) => `${nameOf(workspace)} ${sayHead(await gitHead(workspace))}`,
    render: async ({ workspace }) =>
      `Workspace folder: ${nameOf(workspace)}\nGit: ${sayHead(await gitHead(workspace))}`,
    // A folder and a branch are what it is about, not a state of it.
    isAnother: () => true,
    affectedBy: ({ effect }) => effect === 'execute',
  };
}

const nameOf = (workspace: string): string => oneLine(basename(workspace));

function sayHead(head: GitHead | undefined): string {
  switch (head?.at) {
    case undefined:
      return 'no repository';
    case 'branch':
      return `branch ${oneLine(head.branch)}`;
    case 'commit':
      return `no branch, detached at ${head.commit.slice(0, 12)}`;
    case 'unknown':
      return 'a repository whose branch is not known';
  }
}

// Reads the branch of a folder from git's own files: running git in a folder of another person runs what its configuration names.
// Formats: gitrepository-layout(5), "HEAD" and "gitfile".

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
async function gitHead(folder: string): Promise<GitHead | undefined> {
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

// Opens only a regular file for reading: a pipe without a writer, or a device without end, would block the process. An absent
// file is a value; every other refusal is thrown.

/** The open file, to be closed by the caller; `undefined` when there is none, or it is no file. @throws what the file system says. */
async function openPlainFile(path: string): Promise<FileHandle | undefined> {
  const handle = await openAtOnce(path);
  if (handle === undefined) return undefined;
  try {
    if ((await handle.stat()).isFile()) return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  return undefined;
}

async function openAtOnce(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ENXIO'].includes(codeOf(error) ?? '')) return undefined;
    throw error;
  }
}

/** The first bytes of a file as text; `undefined` as in `openPlainFile`. */
async function readHead(path: string, bytes: number): Promise<string | undefined> {
  const handle = await openPlainFile(path);
  if (handle === undefined) return undefined;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}
