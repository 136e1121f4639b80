// Reads the contents of a workspace that change what an agent knows or is allowed to do, and computes their digest.
// Trust is given to this digest. The digest covers:
//
// - `.tidemark/config.json`, which contains MCP servers, hooks and rules
// - each workspace file that the configuration names as a program or passes to a program
// - each file below `.agents/skills` and `.agents/agents`, by name and bytes
//
// The digest does not cover memory, because the agent itself writes it. It does not cover AGENTS.md and CLAUDE.md,
// because they change often and are only text. A model gets all of them as text with the role of the user. See
// docs/decisions/2026-11-23-instructions-from-the-start.md.

import { createHash } from 'node:crypto';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';

import { defined } from '@tidemark/core';
import type { NamedBySetting } from './named-files.ts';
import { readNamedFiles } from './named-files.ts';
import type { FoundFile } from './plain-files.ts';
import { codeOf, filesBelow, readBudget, readPlainFile, sha256 } from './plain-files.ts';
import { SettingsError } from './settings-error.ts';
import { startedPrograms } from './started-programs.ts';

/** Configuration that is stored in the workspace. */
export interface BroughtConfiguration {
  /** Real path of the workspace. */
  readonly workspace: string;
  /** Text of `.tidemark/config.json`. The digest is computed from the same text. */
  readonly configuration?: string;
}

/**
 * Contents of a workspace that change what an agent knows or is allowed to do, and their digest. Trust is given to the
 * digest.
 */
export interface WorkspaceContents extends BroughtConfiguration {
  /** SHA-256 of the contents, in hex. If workspaces have no such contents, they all have the same digest. */
  readonly digest: string;
  /** Real path of `.agents/skills`, if it is inside the workspace. */
  readonly skillsRoot?: string;
  /** Names of the folders in `skillsRoot`, sorted. */
  readonly skills: readonly string[];
  /** Real path of `.agents/agents`, if it is inside the workspace. */
  readonly agentsRoot?: string;
  /** Names of the agent files in `agentsRoot` without `.md`, sorted. */
  readonly agents: readonly string[];
  /**
   * Names of the slash commands in `.agents/commands`, sorted. They are used if the workspace is trusted, but the digest
   * does not cover them.
   */
  readonly commands: readonly string[];
  /**
   * Name of the instruction file of the workspace folder: `AGENTS.md`, or `CLAUDE.md` without one. Absent if there is
   * none. It is put into a note if the workspace is trusted, but the digest does not cover it.
   */
  readonly instructions?: string;
  /**
   * True if the workspace has memory files. They are used if the workspace is trusted, but the digest does not cover
   * them.
   */
  readonly memory: boolean;
  /**
   * Sorted real paths that the settings of the workspace name: programs, files passed to programs, links on the way to
   * them, and folders. A folder includes everything below it. If one of these files changes, a setting starts something
   * else.
   */
  readonly named: readonly string[];
  /** The named paths, grouped by the setting that names them. */
  readonly namedBy: readonly NamedBySetting[];
}

/** Path of the configuration inside a workspace. */
export const CONFIGURATION_PATH: string = join('.tidemark', 'config.json');

/** Maximum size of a configuration, in bytes. */
const MAX_CONFIGURATION = 256 * 1024;

/**
 * Reads the contents of a workspace and their digest.
 *
 * @throws SettingsError `settings/too-much` or `settings/unreadable`. A workspace with such an error cannot be trusted.
 */
export async function readBrought(folder: string): Promise<WorkspaceContents> {
  return lookThrough(folder, broughtBy);
}

async function lookThrough<Found>(folder: string, look: (workspace: string) => Promise<Found>): Promise<Found> {
  try {
    return await look(await realpath(folder));
  } catch (error) {
    if (error instanceof SettingsError) throw error;
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const reason = error instanceof Error ? error.message : String(error);
    const message = isMissing ? `the folder ${folder} does not exist` : `${folder} cannot be read: ${reason}`;
    throw new SettingsError('settings/unreadable', message, { folder }, error);
  }
}

/**
 * Reads only the configuration of a workspace, in the same way as `readBrought`. @throws SettingsError as `readBrought`
 * does.
 */
export async function readBroughtConfiguration(folder: string): Promise<BroughtConfiguration> {
  return lookThrough(folder, async (workspace) => configurationOf(workspace, await configurationIn(workspace)));
}

function configurationOf(workspace: string, configuration: string | undefined): BroughtConfiguration {
  return defined({ workspace, configuration });
}

async function broughtBy(workspace: string): Promise<WorkspaceContents> {
  const configuration = await configurationIn(workspace);
  const budget = readBudget();
  const skillsRoot = await rootIn(workspace, 'skills');
  const files = skillsRoot === undefined ? [] : await filesBelow(skillsRoot, budget);
  const agentsRoot = await rootIn(workspace, 'agents');
  const agentFiles = agentsRoot === undefined ? [] : await filesBelow(agentsRoot, budget);
  const { states, named } = await readNamedFiles(startedPrograms(configuration), workspace);
  const skills = new Set(files.flatMap(({ path }) => (path.includes('/') ? [path.slice(0, path.indexOf('/'))] : [])));
  const memory = await Promise.all(['MEMORY.md', 'USER.md'].map((name) => isThere(join(workspace, '.tidemark', name))));
  const instructions = await instructionsIn(workspace);
  return {
    ...configurationOf(workspace, configuration),
    digest: digestOf(configuration, { skills: files, agents: agentFiles, instructions }, states),
    ...defined({ skillsRoot, agentsRoot, instructions }),
    agents: agentFiles
      .flatMap(({ path }) => (/^[^/]+\.md$/.test(path) ? [path.slice(0, -'.md'.length)] : []))
      .toSorted(),
    skills: [...skills].toSorted(),
    commands: await commandsIn(workspace),
    memory: memory.includes(true),
    named: [...new Set(named.flatMap(({ paths }) => paths))].toSorted(),
    namedBy: named,
  };
}

interface CoveredFiles {
  readonly skills: readonly FoundFile[];
  readonly agents: readonly FoundFile[];
  /**
   * Name of the instruction file. Its content is not covered, but its existence is: a file that a model creates in a
   * trusted workspace is not attached to later sessions before the user trusts it.
   */
  readonly instructions: string | undefined;
}

function digestOf(
  configuration: string | undefined,
  { skills, agents, instructions }: CoveredFiles,
  named: readonly FoundFile[],
): string {
  const hash = createHash('sha256').update('tidemark-trust/2\n');
  if (configuration !== undefined) hash.update(`${JSON.stringify(['configuration', sha256(configuration)])}\n`);
  for (const { path, kind, digest } of skills) hash.update(`${JSON.stringify([kind, path, digest])}\n`);
  for (const { path, kind, digest } of agents) hash.update(`${JSON.stringify(['agent', kind, path, digest])}\n`);
  if (instructions !== undefined) hash.update(`${JSON.stringify(['instructions', instructions])}\n`);
  for (const { path, kind, digest } of named) hash.update(`${JSON.stringify(['named', kind, path, digest])}\n`);
  return hash.digest('hex');
}

/**
 * Reads the configuration. Refuses a link on its path, because the target of the link can be outside the trusted
 * contents.
 */
async function configurationIn(workspace: string): Promise<string | undefined> {
  const path = join(workspace, CONFIGURATION_PATH);
  const real = await realpath(path).catch(absent);
  if (real === undefined) return undefined;
  if (real !== path)
    throw new SettingsError('settings/unreadable', `${path} is reached through a symbolic link, so it is not used`);
  const bytes = await readPlainFile(path, MAX_CONFIGURATION);
  if (bytes === undefined)
    throw new SettingsError('settings/unreadable', `${path} is not a regular file, so it is not used`, { path });
  return bytes.toString('utf8');
}

/**
 * Returns the real path of a folder in `.agents`. The folder can be a link to another folder of the same workspace
 * (`.claude/skills`). If there is no folder, or if the link leads out of the workspace, returns `undefined`.
 */
async function rootIn(workspace: string, name: 'skills' | 'agents' | 'commands'): Promise<string | undefined> {
  const real = await realpath(join(workspace, '.agents', name)).catch(absent);
  if (real === undefined || !real.startsWith(`${workspace}${sep}`)) return undefined;
  return (await stat(real)).isDirectory() ? real : undefined;
}

async function commandsIn(workspace: string): Promise<readonly string[]> {
  const root = await rootIn(workspace, 'commands');
  const names = root === undefined ? [] : await readdir(root);
  return names.flatMap((name) => (name.endsWith('.md') ? [name.slice(0, -'.md'.length)] : [])).toSorted();
}

/** Returns the name of the instruction file in the workspace folder, if there is one. */
async function instructionsIn(workspace: string): Promise<string | undefined> {
  for (const name of ['AGENTS.md', 'CLAUDE.md'])
    if ((await stat(join(workspace, name)).catch(absent))?.isFile() === true) return name;
  return undefined;
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(absent)) !== undefined;
}

function absent(error: unknown): undefined {
  if (ABSENT.has(codeOf(error) ?? '')) return undefined;
  throw error;
}

const ABSENT: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);
