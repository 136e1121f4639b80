// One skill's folder: SKILL.md read at its door, and the names of what lies beside it. Nothing in it is run, and no link
// leads out of its root.

import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readdir, realpath, stat } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import type { FoundSkill, SkillRoot } from './found-skill.ts';
import type { BadFile } from './front-matter.ts';
import { LARGEST_SKILL, readSkillFile } from './front-matter.ts';
import { oneLine } from './one-line.ts';

const MOST_FILES = 40;
const DEEPEST = 3;
/** Of what the index says of a skill, in UTF-16 units. */
const LONGEST_USE = 300;

/** What was read of each folder, and which file that was: what did not change is not read again. */
export type KnownFolders = Map<string, { readonly stamp: string; readonly read: FoundSkill | BadFile }>;

/** The skill in a folder of a root. */
export async function readSkillFolder(
  folder: string,
  root: SkillRoot,
  realRoot: string,
  known: KnownFolders,
): Promise<FoundSkill | BadFile> {
  const path = await inside(join(folder, 'SKILL.md'), realRoot);
  if (typeof path !== 'string') return path;
  const stamp = await stampOf(path);
  const before = known.get(folder);
  if (before !== undefined && before.stamp === stamp) return before.read;
  const read = await readAnew(path, folder, root);
  if (stamp !== undefined) known.set(folder, { stamp, read });
  return read;
}

/** Names the file and its state; `undefined` where it is gone. */
async function stampOf(path: string): Promise<string | undefined> {
  const status = await stat(path, { bigint: true }).catch(() => undefined);
  return status && [status.dev, status.ino, status.size, status.mtimeNs, status.ctimeNs].join(' ');
}

async function readAnew(path: string, folder: string, { source }: SkillRoot): Promise<FoundSkill | BadFile> {
  const bytes = await readPlain(path);
  if ('reason' in bytes) return bytes;
  const file = await readSkillFile(bytes);
  if ('reason' in file) return file;
  if (file.name !== basename(folder)) {
    return { reason: `its name is ${file.name}, and its folder ${oneLine(basename(folder), 80)}: they must be equal` };
  }
  const files = await filesIn(folder);
  const { name, description, license, compatibility, metadata } = file;
  return {
    name,
    version: createHash('sha256').update(bytes).digest('hex').slice(0, 12),
    source,
    body: bodyOf(file.body, name, folder, files),
    description,
    use: oneLine(metadata['when_to_use'] ?? description, LONGEST_USE) || oneLine(description, LONGEST_USE),
    preload: metadata['preload'] === 'always',
    metadata,
    folder,
    files,
    ...(license !== undefined && { license }),
    ...(compatibility !== undefined && { compatibility }),
  };
}

/** The real path of a file, where it lies inside of the root. */
export async function inside(path: string, realRoot: string): Promise<string | BadFile> {
  try {
    const real = await realpath(path);
    return real.startsWith(realRoot.endsWith(sep) ? realRoot : realRoot + sep)
      ? real
      : { reason: 'a symbolic link leads out of its root' };
  } catch (error) {
    return { reason: isGone(error) ? `there is no ${basename(path)}` : `it cannot be read: ${codeOf(error)}` };
  }
}

/** The bytes of a plain file that is not too large. What is no file (a pipe) is not waited for. */
export async function readPlain(path: string, most: number = LARGEST_SKILL): Promise<Uint8Array | BadFile> {
  try {
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      const status = await handle.stat();
      if (!status.isFile()) return { reason: 'it is no plain file' };
      if (status.size > most) return { reason: `it is larger than ${most} bytes` };
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (error) {
    return { reason: `it cannot be read: ${codeOf(error)}` };
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

function isGone(error: unknown): boolean {
  return codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR';
}

/** Plain files beside SKILL.md, without what is hidden; links are not followed. */
async function filesIn(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  const enter = async (at: string, depth: number): Promise<void> => {
    const entries = await readdir(at, { withFileTypes: true }).catch(() => []);
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.name.startsWith('.') || found.length >= MOST_FILES) continue;
      const path = join(at, entry.name);
      if (entry.isDirectory() && depth < DEEPEST) await enter(path, depth + 1);
      else if (entry.isFile() && path !== join(folder, 'SKILL.md')) found.push(relative(folder, path));
    }
  };
  await enter(folder, 1);
  return found;
}

/** What the model reads: the body, and how it reaches what lies beside it. */
function bodyOf(body: string, name: string, folder: string, files: readonly string[]): string {
  if (files.length === 0) return body;
  const more = files.length < MOST_FILES ? '' : ', …';
  const call = `skill_load {"name":"${name}","file":"…"}`;
  return `${body}\n\n[Files of this skill, read with ${call}: ${files.map((file) => oneLine(file, 200)).join(', ')}${more}. Its folder: ${oneLine(folder, 400)}]`;
}
