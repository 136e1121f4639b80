// Reads one skill's folder: the content of SKILL.md, and the names of the other files. Nothing in the folder is run. If
// a link leads out of the root, it is refused. The file calls are synchronous, because a hundred skills need about
// eight hundred short calls. With the asynchronous functions of Node.js, these calls would take 70 ms instead of 7 ms.

import { defined } from '@tidemark/core';
import type { Secrets } from '@tidemark/agent';
import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs';
import type { Dirent } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import type { FoundSkill, SkillRoot } from './found-skill.ts';
import type { BadFile } from './front-matter.ts';
import { LARGEST_SKILL, readSkillFile } from './front-matter.ts';
import { graphemeAt } from '@tidemark/model';

const MAX_FILES = 40;

const DEEPEST = 3;

/** Maximum length of a skill's text in the index, in UTF-16 units. */
const LONGEST_USE = 300;

/**
 * Maximum length of a skill's text for the index before masking, in UTF-16 units. The text is cut to its final length
 * only after masking. If a secret is cut, the mask does not recognize it.
 */
const LONGEST_READ = 4_096;

/**
 * Results of reading skill folders. The key is the folder. Each result has a stamp of the SKILL.md that was read. If
 * the SKILL.md of a folder has the same stamp, the folder is not read again.
 */
export type KnownFolders = Map<string, { readonly stamp: string; readonly read: FoundSkill | BadFile }>;

/** Options for reading a skill's folder in a root. */
export interface FolderLook {
  readonly root: SkillRoot;
  /** Real path of the root, with every link followed. */
  readonly realRoot: string;
  readonly known: KnownFolders;
  readonly mask: Secrets['mask'];
}

/**
 * Returns the skill in a folder of a root. If the folder has no usable skill, returns the reason. Texts for the front
 * or for a list are masked: the description, the use, and the body if it is preloaded. Any other body is masked later,
 * when it is loaded and recorded.
 */
export async function readSkillFolder(
  folder: string,
  { root, realRoot, known, mask }: FolderLook,
): Promise<FoundSkill | BadFile> {
  const path = inside(join(folder, 'SKILL.md'), realRoot);
  if (typeof path !== 'string') return path;
  const stamp = stampOf(path);
  const before = known.get(folder);
  if (before !== undefined && before.stamp === stamp) return before.read;
  const realFolder = inside(folder, realRoot);
  if (typeof realFolder !== 'string') return realFolder;
  const read = await maskSkill(await readAnew(path, { folder, realFolder, realRoot }, root), mask);
  if (stamp !== undefined) known.set(folder, { stamp, read });
  return read;
}

async function maskSkill(read: ReadSkill | BadFile, mask: Secrets['mask']): Promise<FoundSkill | BadFile> {
  if ('reason' in read) return { reason: await mask(read.reason) };
  const { whenToUse, ...skill } = read;
  const [description, body] = [await mask(read.description), read.preload ? await mask(read.body) : read.body];
  const useOf = async (text: string): Promise<string> => oneLine(await mask(oneLine(text, LONGEST_READ)), LONGEST_USE);
  return { ...skill, description, body, use: (await useOf(whenToUse ?? '')) || (await useOf(description)) };
}

function stampOf(path: string): string | undefined {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
  } catch {
    return undefined;
  }
}

interface SkillFolder {
  readonly folder: string;
  readonly realFolder: string;
  readonly realRoot: string;
}

interface ReadSkill extends Omit<FoundSkill, 'use'> {
  readonly whenToUse: string | undefined;
}

async function readAnew(
  path: string,
  { folder, realFolder, realRoot }: SkillFolder,
  { source }: SkillRoot,
): Promise<ReadSkill | BadFile> {
  const bytes = readPlain(path, realRoot);
  if ('reason' in bytes) return bytes;
  const file = await readSkillFile(bytes);
  if ('reason' in file) return file;
  if (file.name !== basename(folder)) {
    return {
      reason: `its name is ${file.name}, but its folder is ${oneLine(basename(folder), 80)}: they must be equal`,
    };
  }
  const files = filesIn(folder);
  const { name, description, license, compatibility, metadata } = file;
  return {
    name,
    version: createHash('sha256').update(bytes).digest('hex').slice(0, 12),
    source,
    body: bodyOf(file.body, name, folder, files),
    description,
    whenToUse: metadata['when_to_use'],
    preload: metadata['preload'] === 'always',
    metadata,
    folder,
    realFolder,
    files,
    ...defined({ license, compatibility }),
  };
}

const LEADS_OUT = 'a symbolic link leads out of its root';

function isBelow(real: string, realRoot: string): boolean {
  return real.startsWith(realRoot.endsWith(sep) ? realRoot : realRoot + sep);
}

/**
 * Returns the real path of a file in the root. If a link leads out of the root, or if the file is missing or cannot be
 * read, returns the reason instead.
 */
export function inside(path: string, realRoot: string): string | BadFile {
  try {
    const real = realpathSync.native(path);
    return isBelow(real, realRoot) ? real : { reason: LEADS_OUT };
  } catch (error) {
    return { reason: isGone(error) ? `there is no ${basename(path)}` : `it cannot be read: ${codeOf(error)}` };
  }
}

/**
 * Returns the bytes of a regular file below a root. If the file is larger than `most` bytes or cannot be used, returns
 * the reason instead. Opening never waits, even for a pipe. After `inside` checked the path, a folder in it may have
 * become a link. Therefore the real path of the open file is checked again.
 */
export function readPlain(path: string, realRoot: string, most: number = LARGEST_SKILL): Uint8Array | BadFile {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      if (!isBelow(placeOf(file, path), realRoot)) return { reason: LEADS_OUT };
      const status = fstatSync(file);
      if (!status.isFile()) return { reason: 'it is not a regular file' };
      return status.size > most ? { reason: `it is larger than ${most} bytes` } : readFileSync(file);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    return { reason: `it cannot be read: ${codeOf(error)}` };
  }
}

/**
 * Returns the real path of an open file. If the system cannot report the path of a descriptor, returns the real path of
 * `path`.
 */
function placeOf(file: number, path: string): string {
  if (process.platform === 'linux') {
    try {
      return readlinkSync(`/proc/self/fd/${file}`);
    } catch {
      // If there is no /proc, the path is resolved by its name, as on other systems.
    }
  }
  return realpathSync.native(path);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

function isGone(error: unknown): boolean {
  return codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR';
}

/**
 * Returns the paths of at most 40 regular files next to SKILL.md and in two levels of subfolders. Hidden names are
 * omitted, and links are not followed.
 */
function filesIn(folder: string): readonly string[] {
  const found: string[] = [];
  const enter = (at: string, depth: number): void => {
    for (const entry of entriesOf(at).toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.name.startsWith('.') || found.length >= MAX_FILES) continue;
      const path = join(at, entry.name);
      if (entry.isDirectory() && depth < DEEPEST) enter(path, depth + 1);
      else if (entry.isFile() && path !== join(folder, 'SKILL.md')) found.push(relative(folder, path));
    }
  };
  enter(folder, 1);
  return found;
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function bodyOf(body: string, name: string, folder: string, files: readonly string[]): string {
  if (files.length === 0) return body;
  const more = files.length < MAX_FILES ? '' : ', …';
  const call = `skill_load {"name":"${name}","file":"…"}`;
  return `${body}\n\n[Files of this skill, read with ${call}: ${files.map((file) => oneLine(file, 200)).join(', ')}${more}. Its folder: ${oneLine(folder, 400)}]`;
}

// The code below formats texts of a skill for a list. Each text is on one line, without characters that end a line or
// hide text. `<` and `>` are replaced, because they could form a tag.

/**
 * Returns the text on one line, with at most `most` UTF-16 units. Control characters become spaces, and `<` and `>`
 * become `‹` and `›`. If the text is longer, it is cut between graphemes and ends with an ellipsis.
 */
export function oneLine(text: string, most: number): string {
  const line = text
    .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .replaceAll('<', '‹')
    .replaceAll('>', '›')
    .trim();
  if (line.length <= most) return line;
  const end = graphemeAt(line, most - 1)?.index ?? 0;
  return `${line.slice(0, end).trimEnd()}…`;
}
