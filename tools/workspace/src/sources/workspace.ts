// Context source `workspace`: shows the name of the workspace folder and its git branch.

import { basename, dirname, join, resolve } from 'node:path';
import type { ContextSource } from '@tidemark/agent';
import { oneLine } from './one-line.ts';
import { stat, constants, open } from 'node:fs/promises';
import { codeOf } from '../confine/file-problem.ts';
import type { FileHandle } from 'node:fs/promises';

/**
 * Creates a context source that notes the name of the workspace folder and its git branch. After every tool call that
 * may have switched the branch, the branch is read again.
 */
export function workspaceSource(): ContextSource {
  return {
    name: 'workspace',
    revision: async ({ workspace }) => `${nameOf(workspace)} ${sayHead(await gitHead(workspace))}`,
    render: async ({ workspace }) =>
      `Workspace folder: ${nameOf(workspace)}\nGit: ${sayHead(await gitHead(workspace))}`,
    // If the folder or branch changes, it is another workspace. The note therefore says `switched` and not `changed`.
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

// The code below reads the branch of a folder from git's own files. It does not run git. If the folder belongs to
// another person, git would run programs that the folder's configuration names. Formats: gitrepository-layout(5),
// "HEAD" and "gitfile".

/** Target of git's HEAD: a branch, or a commit if no branch is checked out. */
export type GitHead =
  | { readonly at: 'branch'; readonly branch: string }
  | { readonly at: 'commit'; readonly commit: string }
  /** A repository exists, but its HEAD cannot be read from git's files. */
  | { readonly at: 'unknown' };

/** Maximum number of bytes that are read. A gitfile contains a path, and Linux allows paths of 4,096 bytes. */
const MAX_BYTES = 4_352;

/**
 * Text that git writes into HEAD in place of a branch. Git does this if the branches are stored in another format
 * (reftable).
 */
const ELSEWHERE = '.invalid';

/**
 * Returns the HEAD of the nearest repository that contains this folder. If no repository contains it, returns
 * `undefined`.
 */
export async function gitHead(folder: string): Promise<GitHead | undefined> {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const found = await gitFolder(join(at, '.git'));
    if (found !== undefined) return parseHead((await readHead(join(found, 'HEAD'), MAX_BYTES)) ?? '');
    if (at === dirname(at)) return undefined;
  }
}

/**
 * Returns the `.git` folder. In a worktree or submodule, returns the folder that its gitfile points to. If there is
 * neither, returns `undefined`.
 */
async function gitFolder(path: string): Promise<string | undefined> {
  const kind = await kindOf(path);
  if (kind === 'folder') return path;
  if (kind !== 'file') return undefined;
  const named = /^gitdir: ([^\n\0]+)/.exec((await readHead(path, MAX_BYTES)) ?? '')?.[1];
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

// The functions below open only regular files. A pipe without a writer or an endless device would block the process.

/**
 * Opens a regular file. The caller must close it. If the file is missing or is not a regular file, returns `undefined`.
 * Throws every other system error.
 */
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
