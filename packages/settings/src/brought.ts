// What a workspace brings along that changes what an agent knows or may do, and its digest: this is what is trusted. It covers
// `.tidemark/config.json` (MCP servers and rules stand there) and each file below `.agents/skills`, by name and bytes. It does
// not cover memory, which the agent itself writes, nor AGENTS.md, which is only read: both reach a model as a user's words.

import type { BigIntStats } from 'node:fs';
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readdir, readlink, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

import { SettingsError } from './settings-error.ts';

/** The workspace's own settings. */
export interface BroughtConfiguration {
  /** The real path of the workspace. */
  readonly workspace: string;
  /** The text of `.tidemark/config.json`; the same that is digested. */
  readonly configuration?: string;
}

/** See the head of this file. */
export interface Brought extends BroughtConfiguration {
  /** SHA-256 in hex; the same for every workspace that brings nothing. */
  readonly digest: string;
  /** The real path of `.agents/skills`, where it lies in the workspace. */
  readonly skillsRoot?: string;
  /** Names of the folders in it, sorted. */
  readonly skills: readonly string[];
  /** Whether it has memory files: they are used where it is trusted, and are not in the digest. */
  readonly memory: boolean;
}

/** Where a workspace's configuration lies in it. */
export const CONFIGURATION_PATH: string = join('.tidemark', 'config.json');

/** More than this is nobody's configuration. */
const MOST_CONFIGURATION = 256 * 1024;
const MOST_FILES = 5_000;
const MOST_BYTES = 64 * 1024 * 1024;

/** @throws SettingsError `settings/too-much`, `settings/unreadable`: then the workspace cannot be trusted. */
export async function readBrought(folder: string): Promise<Brought> {
  return lookThrough(folder, broughtBy);
}

async function lookThrough<Found>(folder: string, look: (workspace: string) => Promise<Found>): Promise<Found> {
  try {
    return await look(await realpath(folder));
  } catch (error) {
    if (error instanceof SettingsError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new SettingsError('settings/unreadable', `${folder} cannot be looked through: ${reason}`, { folder }, error);
  }
}

/** The configuration alone, as `readBrought` has it. @throws SettingsError as that does. */
export async function readBroughtConfiguration(folder: string): Promise<BroughtConfiguration> {
  return lookThrough(folder, async (workspace) => configurationOf(workspace, await configurationIn(workspace)));
}

function configurationOf(workspace: string, configuration: string | undefined): BroughtConfiguration {
  return { workspace, ...(configuration !== undefined && { configuration }) };
}

async function broughtBy(workspace: string): Promise<Brought> {
  const configuration = await configurationIn(workspace);
  const skillsRoot = await skillsRootIn(workspace);
  const files = skillsRoot === undefined ? [] : await filesBelow(skillsRoot);
  const skills = new Set(files.flatMap(({ path }) => (path.includes('/') ? [path.slice(0, path.indexOf('/'))] : [])));
  const memory = await Promise.all(['MEMORY.md', 'USER.md'].map((name) => isThere(join(workspace, '.tidemark', name))));
  return {
    ...configurationOf(workspace, configuration),
    digest: digestOf(configuration, files),
    ...(skillsRoot !== undefined && { skillsRoot }),
    skills: [...skills].toSorted(),
    memory: memory.includes(true),
  };
}

function digestOf(configuration: string | undefined, files: readonly FoundFile[]): string {
  const hash = createHash('sha256').update('tidemark-trust/1\n');
  if (configuration !== undefined) hash.update(`${JSON.stringify(['configuration', sha256(configuration)])}\n`);
  for (const { path, kind, digest } of files) hash.update(`${JSON.stringify([kind, path, digest])}\n`);
  return hash.digest('hex');
}

function sha256(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** A link is not followed: what it leads to is not what was trusted. */
async function configurationIn(workspace: string): Promise<string | undefined> {
  const path = join(workspace, CONFIGURATION_PATH);
  const real = await realpath(path).catch(absent);
  if (real === undefined) return undefined;
  if (real !== path)
    throw new SettingsError('settings/unreadable', `${path} is reached through a link: it is not used`);
  return (await readPlainFile(path, MOST_CONFIGURATION)).toString('utf8');
}

/** A folder of skills may be a link to another one of the same workspace (`.claude/skills`), and to nowhere else. */
async function skillsRootIn(workspace: string): Promise<string | undefined> {
  const real = await realpath(join(workspace, '.agents', 'skills')).catch(absent);
  if (real === undefined || !real.startsWith(`${workspace}${sep}`)) return undefined;
  return (await stat(real)).isDirectory() ? real : undefined;
}

interface FoundFile {
  /** Below the root, with `/`. */
  readonly path: string;
  readonly kind: 'file' | 'link' | 'other';
  /** Of the bytes, or of where the link leads. */
  readonly digest: string;
}

async function filesBelow(root: string): Promise<readonly FoundFile[]> {
  const found: FoundFile[] = [];
  let left = MOST_BYTES;
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((each) => !each.isDirectory())) {
    const full = join(entry.parentPath, entry.name);
    const path = relative(root, full).replaceAll(sep, '/');
    if (found.length === MOST_FILES) throw tooMuch(root);
    if (entry.isSymbolicLink()) found.push({ path, kind: 'link', digest: sha256(await readlink(full)) });
    else if (entry.isFile()) {
      const bytes = await readPlainFile(full, left);
      left -= bytes.length;
      found.push({ path, kind: 'file', digest: sha256(bytes) });
    } else found.push({ path, kind: 'other', digest: '' });
  }
  return found.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Opened without following a link and without waiting for a writer, and looked at by its handle. */
async function readPlainFile(path: string, most: number): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const found: BigIntStats = await file.stat({ bigint: true });
    if (!found.isFile()) throw new SettingsError('settings/unreadable', `${path} is no plain file: it is not used`);
    if (found.size > most) throw tooMuch(path);
    const bytes = Buffer.alloc(Number(found.size));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    return bytes.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function tooMuch(path: string): SettingsError {
  const message = `${path} is more than can be looked through: ${MOST_FILES} files, ${MOST_BYTES / 1024 / 1024} MiB`;
  return new SettingsError('settings/too-much', message, { path });
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(absent)) !== undefined;
}

function absent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string' && ABSENT.has(error.code))
    return undefined;
  throw error;
}

const ABSENT: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);
