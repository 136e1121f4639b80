// What a workspace brings along that changes what an agent knows or may do, and its digest: this is what is trusted. It covers
// `.tidemark/config.json` (MCP servers and rules stand there), each file of the workspace that a program named there is or is
// given, and each file below `.agents/skills`, by name and bytes. It does not cover memory, which the agent itself writes, nor
// AGENTS.md, which is only read: both reach a model as a user's words.

import { createHash } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';

import { defined } from '@tidemark/core';
import type { NamedBySetting } from './named-files.ts';
import { readNamedFiles } from './named-files.ts';
import type { FoundFile } from './plain-files.ts';
import { codeOf, filesBelow, readBudget, readPlainFile, sha256 } from './plain-files.ts';
import { SettingsError } from './settings-error.ts';
import { startedPrograms } from './started-programs.ts';

/** The workspace's own settings. */
export interface BroughtConfiguration {
  /** The real path of the workspace. */
  readonly workspace: string;
  /** The text of `.tidemark/config.json`; the same that is digested. */
  readonly configuration?: string;
}

/** What a workspace brings along that changes what an agent knows or may do, and its digest, which is what is trusted. */
export interface WorkspaceContents extends BroughtConfiguration {
  /** SHA-256 in hex; the same for every workspace that brings nothing. */
  readonly digest: string;
  /** The real path of `.agents/skills`, where it lies in the workspace. */
  readonly skillsRoot?: string;
  /** Names of the folders in it, sorted. */
  readonly skills: readonly string[];
  /** Whether it has memory files: they are used where it is trusted, and are not in the digest. */
  readonly memory: boolean;
  /**
   * Real paths of the files that its settings name as programs or as what programs are given, of links on the way to them,
   * and of folders, which stand for all that is below them: whoever changes one changes what is started. Sorted.
   */
  readonly named: readonly string[];
  /** The same by the setting that names them. */
  readonly namedBy: readonly NamedBySetting[];
}

/** Where a workspace's configuration lies in it. */
export const CONFIGURATION_PATH: string = join('.tidemark', 'config.json');

/** More than this is nobody's configuration. */
const MOST_CONFIGURATION = 256 * 1024;

/** @throws SettingsError `settings/too-much`, `settings/unreadable`: then the workspace cannot be trusted. */
export async function readBrought(folder: string): Promise<WorkspaceContents> {
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
  return defined({ workspace, configuration });
}

async function broughtBy(workspace: string): Promise<WorkspaceContents> {
  const configuration = await configurationIn(workspace);
  const skillsRoot = await skillsRootIn(workspace);
  const files = skillsRoot === undefined ? [] : await filesBelow(skillsRoot, readBudget());
  const { states, named } = await readNamedFiles(startedPrograms(configuration), workspace);
  const skills = new Set(files.flatMap(({ path }) => (path.includes('/') ? [path.slice(0, path.indexOf('/'))] : [])));
  const memory = await Promise.all(['MEMORY.md', 'USER.md'].map((name) => isThere(join(workspace, '.tidemark', name))));
  return {
    ...configurationOf(workspace, configuration),
    digest: digestOf(configuration, files, states),
    ...defined({ skillsRoot }),
    skills: [...skills].toSorted(),
    memory: memory.includes(true),
    named: [...new Set(named.flatMap(({ paths }) => paths))].toSorted(),
    namedBy: named,
  };
}

function digestOf(
  configuration: string | undefined,
  skills: readonly FoundFile[],
  named: readonly FoundFile[],
): string {
  const hash = createHash('sha256').update('tidemark-trust/2\n');
  if (configuration !== undefined) hash.update(`${JSON.stringify(['configuration', sha256(configuration)])}\n`);
  for (const { path, kind, digest } of skills) hash.update(`${JSON.stringify([kind, path, digest])}\n`);
  for (const { path, kind, digest } of named) hash.update(`${JSON.stringify(['named', kind, path, digest])}\n`);
  return hash.digest('hex');
}

/** A link is not followed: what it leads to is not what was trusted. */
async function configurationIn(workspace: string): Promise<string | undefined> {
  const path = join(workspace, CONFIGURATION_PATH);
  const real = await realpath(path).catch(absent);
  if (real === undefined) return undefined;
  if (real !== path)
    throw new SettingsError('settings/unreadable', `${path} is reached through a link: it is not used`);
  const bytes = await readPlainFile(path, MOST_CONFIGURATION);
  if (bytes === undefined)
    throw new SettingsError('settings/unreadable', `${path} is no plain file: it is not used`, { path });
  return bytes.toString('utf8');
}

/** A folder of skills may be a link to another one of the same workspace (`.claude/skills`), and to nowhere else. */
async function skillsRootIn(workspace: string): Promise<string | undefined> {
  const real = await realpath(join(workspace, '.agents', 'skills')).catch(absent);
  if (real === undefined || !real.startsWith(`${workspace}${sep}`)) return undefined;
  return (await stat(real)).isDirectory() ? real : undefined;
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(absent)) !== undefined;
}

function absent(error: unknown): undefined {
  if (ABSENT.has(codeOf(error) ?? '')) return undefined;
  throw error;
}

const ABSENT: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);
