// The files of a workspace that its settings name as programs, or as what programs are given: whoever changes one of them
// changes what a trusted setting starts. What these files load in turn is not covered.

import { basename, dirname, join, relative, resolve, sep } from 'node:path';

import type { CommandLine } from './command-line.ts';
import { programName, readCommandLine } from './command-line.ts';
import type { FollowedPath, KnownStates } from './follow-path.ts';
import { followPath } from './follow-path.ts';
import { MANIFESTS, readManifest, scriptsNamed, wordsForScripts } from './manifests.ts';
import type { NamedPath, NamedPaths } from './named-paths.ts';
import { entriesOf, namedPaths, placesIn } from './named-paths.ts';
import type { FoundFile, ReadBudget } from './plain-files.ts';
import { fileAt, filesBelow, readBudget } from './plain-files.ts';
import { SettingsError } from './settings-error.ts';
import type { StartedProgram } from './started-programs.ts';
import { BUILTINS, untoldProgram } from './untold-programs.ts';

/** The files that one setting names. */
export interface NamedBySetting {
  /** The setting: `mcp.servers.tax`. */
  readonly by: string;
  /** Real and absolute, sorted: files, links, and folders, which stand for all that is below them. */
  readonly paths: readonly string[];
  /** Programs that it starts, or may start by a script, of which nothing tells which files they start in turn: `make`. */
  readonly untold: readonly string[];
}

/** The files of a workspace that its settings name as programs or give to programs. */
export interface NamedFiles {
  /** For the digest: each path below the workspace that is named, there or not, and its state. By path. */
  readonly states: readonly FoundFile[];
  readonly named: readonly NamedBySetting[];
}

/** What packages bring is loaded by named files and not named itself; a repository's store has a rule of its own. */
const WITHOUT: ReadonlySet<string> = new Set(['node_modules', '.git']);

/**
 * Reads the named files of a workspace. A folder that is the workspace or holds it is not covered.
 *
 * @param known States of paths that were looked at before.
 * @throws SettingsError `settings/too-much` above 5,000 files or 64 MiB, `settings/unreadable` for a file that may not be read.
 */
export async function readNamedFiles(
  programs: readonly StartedProgram[],
  workspace: string,
  known: KnownStates = new Map(),
): Promise<NamedFiles> {
  const survey: Survey = { workspace, known, states: new Map(), budget: readBudget() };
  const named: NamedBySetting[] = [];
  for (const program of programs) {
    const cover: Cover = { found: new Set(), scripts: new Set(), untold: new Set() };
    await coverProgram(program, { folder: resolve(workspace, program.cwd ?? '.'), as: 'any' }, survey, cover);
    const { found, untold } = cover;
    if (found.size + untold.size > 0)
      named.push({ by: program.by, paths: outermost(found).toSorted(), untold: [...untold].toSorted() });
  }
  return { states: [...survey.states.values()].toSorted(byPath), named };
}

/** Without what lies below a folder that is named itself. */
function outermost(paths: ReadonlySet<string>): string[] {
  return [...paths].filter((path) => {
    for (let above = dirname(path); above !== dirname(above); above = dirname(above))
      if (paths.has(above)) return false;
    return true;
  });
}

function byPath(a: FoundFile, b: FoundFile): number {
  return a.path < b.path ? -1 : 1;
}

/** What the programs of one workspace share. */
interface Survey {
  readonly workspace: string;
  readonly known: KnownStates;
  /** By path below the workspace. */
  readonly states: Map<string, FoundFile>;
  readonly budget: ReadBudget;
}

/** What the look at one program has found. */
interface Cover {
  readonly found: Set<string>;
  /** Scripts that were taken up, with their folders. */
  readonly scripts: Set<string>;
  readonly untold: Set<string>;
}

/** Where a program runs. `as` is `any` where its folder is covered too, which a script's is not. */
interface ProgramPlace {
  readonly folder: string;
  readonly as: NamedPath['as'];
}

/** More scripts than this are not followed: a script may name each other one. */
const MOST_SCRIPTS = 200;

async function coverProgram(
  program: StartedProgram,
  { folder, as }: ProgramPlace,
  survey: Survey,
  cover: Cover,
): Promise<void> {
  const line = readCommandLine([program.command, ...program.args]);
  const folders = foldersFrom(folder, line, cover);
  const names = namedPaths(program, folders, line);
  const { runnerFiles } = names;
  const looked = new Set<string>();
  const scripts: ShellLine[] = [];
  const scriptNames = new Set<string>();
  const words = names.paths.map((one) => (as === 'any' ? one : { ...one, as }));
  const bins = as === 'any' ? NO_BINS : binsOf(line, folder, survey);
  const left: NamedPath[] = [{ path: folder, as }, ...words, ...bins.inWorkspace];
  if (runnerFiles.length > 0)
    left.push(...folders.flatMap((one) => foldersAbove(one, survey)).map((path) => ({ path, as: 'file' }) as const));
  // It grows as it is walked.
  for (const one of left) {
    const key = `${one.as} ${one.runsEntry === true} ${one.path}`;
    if (looked.has(key)) continue;
    looked.add(key);
    const end = followPath(one.path, survey.known);
    for (const link of end.links) await coverPath(link, survey, cover.found);
    left.push(...(await coverEnd(end, one.as, survey, cover.found)));
    if (end.state === 'folder' && runnerFiles.length > 0 && isInside(end.end, survey, 'or is'))
      left.push(...runnerFiles.map((name) => ({ path: join(end.end, name), as: 'file' }) as const));
    if (end.state !== 'file' || !MANIFESTS.has(basename(one.path)) || !isInside(end.end, survey)) continue;
    const inManifest = await namedInManifest(one, names, end.end);
    left.push(...inManifest.entries);
    scripts.push(...inManifest.scripts);
    for (const name of inManifest.scriptNames) scriptNames.add(name);
  }
  for (const name of names.untold) cover.untold.add(name);
  const started = new Set(line.commands.map((command) => programName(command.program)));
  if (scripts.length === 0)
    for (const name of names.scriptRunners) if (name !== '--run' && !started.has(name)) cover.untold.add(name);
  await coverCommands(line, { folders, bins, scriptNames }, survey, cover);
  await coverScripts(program, scripts, survey, cover);
}

/** More folders than this, in which the commands of one line may run, are not followed. */
const MOST_FOLDERS = 16;

function foldersFrom(folder: string, { folders: targets, unread }: CommandLine, { untold }: Cover): readonly string[] {
  for (const name of unread) untold.add(name);
  let folders: readonly string[] = [folder];
  for (const target of targets) {
    const next = placesIn(folders, target).map((path) => resolve(path));
    folders = [...new Set([...folders, ...next])];
    if (folders.length <= MOST_FOLDERS) continue;
    untold.add('cd');
    return folders.slice(0, MOST_FOLDERS);
  }
  return folders;
}

/** The programs of a script that `node_modules/.bin` holds, which comes first in its `PATH`. */
interface Bins {
  /** Those that lead to a file of the workspace. */
  readonly inWorkspace: readonly NamedPath[];
  /** Path below `node_modules` by the name of a program that a package brings. */
  readonly ofPackages: ReadonlyMap<string, string>;
  /** Names of the first ones. */
  readonly told: ReadonlySet<string>;
}

const NO_BINS: Bins = { inWorkspace: [], ofPackages: new Map(), told: new Set() };

function binsOf({ commands }: CommandLine, folder: string, survey: Survey): Bins {
  const inWorkspace: NamedPath[] = [];
  const ofPackages = new Map<string, string>();
  const told = new Set<string>();
  const names = new Set(
    commands.map(({ program }) => program).filter((name) => !/[/\\]/.test(name) && !BUILTINS.has(name)),
  );
  for (const name of names)
    for (const above of [folder, ...foldersAbove(folder, survey)]) {
      const path = join(above, 'node_modules', '.bin', name);
      const { state, end } = followPath(path, survey.known);
      if (state === 'none') continue;
      if (!isInside(end, survey) || nameOf(end, survey).split('/').includes('node_modules')) ofPackages.set(name, path);
      else {
        inWorkspace.push({ path, as: 'file' });
        told.add(name);
      }
    }
  return { inWorkspace, ofPackages, told };
}

/** What is known of the commands of one line. */
interface KnownCommands {
  readonly folders: readonly string[];
  readonly bins: Bins;
  readonly scriptNames: ReadonlySet<string>;
}

/** Names the programs of which nothing tells which files they start. */
async function coverCommands(
  { commands }: CommandLine,
  { folders, bins, scriptNames }: KnownCommands,
  survey: Survey,
  cover: Cover,
): Promise<void> {
  const ends = (word: string): readonly FollowedPath[] =>
    placesIn(folders, word).map((path) => followPath(path, survey.known));
  const look = {
    isFile: (word: string) =>
      [word, ...entriesOf(word)].some((name) => ends(name).some(({ state }) => state === 'file')),
    isInside: (word: string) => ends(word).some(({ end }) => isInside(end, survey)),
    isScript: (name: string) => scriptNames.has(name),
  };
  for (const command of commands) {
    const untold = untoldProgram(command, look);
    const bin = bins.ofPackages.get(command.program);
    // A program that is known is another one as soon as a package brings it: that must ask again.
    if (bin !== undefined && untold === undefined) await putBin(bin, survey);
    if (bin !== undefined) cover.untold.add(programName(command.program));
    else if (untold !== undefined && !bins.told.has(command.program)) cover.untold.add(untold);
  }
}

/** Only by where it leads: what packages bring is not covered. */
async function putBin(path: string, survey: Survey): Promise<void> {
  const { links } = followPath(path, survey.known);
  if (links.at(-1) === undefined || !links.includes(path))
    return putState({ path: nameOf(path, survey), kind: 'other', digest: '' }, survey);
  putState(await fileAt(path, nameOf(path, survey), survey.budget), survey);
}

/** A line for a shell, and the folder that it runs in. */
interface ShellLine {
  readonly folder: string;
  readonly line: string;
}

/** Returns what a manifest names: its entry file where an interpreter runs it, and the scripts that the words name. */
async function namedInManifest(
  { path, runsEntry }: NamedPath,
  { pieces, scriptRunners }: NamedPaths,
  end: string,
): Promise<{
  readonly entries: readonly NamedPath[];
  readonly scripts: readonly ShellLine[];
  readonly scriptNames: readonly string[];
}> {
  const manifest = await readManifest(end);
  const folder = dirname(path);
  const entries = runsEntry === true ? manifest.entries.flatMap((entry) => [entry, ...entriesOf(entry)]) : [];
  const lines = scriptRunners.length > 0 ? scriptsNamed(manifest, pieces) : [];
  return {
    entries: entries.map((entry) => ({ path: join(folder, entry), as: 'file' })),
    scripts: lines.map((line) => ({ folder, line })),
    scriptNames: scriptRunners.length > 0 ? wordsForScripts(manifest) : [],
  };
}

/** A script is a program of its own: it may name files, and other scripts. */
async function coverScripts(
  { by }: StartedProgram,
  scripts: readonly ShellLine[],
  survey: Survey,
  cover: Cover,
): Promise<void> {
  for (const { folder, line } of scripts) {
    const key = `${folder}\0${line}`;
    if (cover.scripts.has(key)) continue;
    cover.scripts.add(key);
    if (cover.scripts.size > MOST_SCRIPTS)
      throw new SettingsError('settings/too-much', `${by} starts more than ${MOST_SCRIPTS} scripts`, { setting: by });
    await coverProgram({ by, command: 'sh', args: ['-c', line], env: {} }, { folder, as: 'file' }, survey, cover);
  }
}

/** A task runner looks for its file in the folders above too. */
function foldersAbove(folder: string, survey: Survey): readonly string[] {
  const above: string[] = [];
  for (let at = dirname(folder); isInside(at, survey, 'or is'); at = dirname(at)) above.push(at);
  return above;
}

/** Covers what a path leads to. Returns what is to be looked at next: the links in a folder. */
async function coverEnd(
  { state, end }: FollowedPath,
  as: NamedPath['as'],
  survey: Survey,
  found: Set<string>,
): Promise<readonly NamedPath[]> {
  if (!isInside(end, survey)) return [];
  if (state === 'hidden')
    throw new SettingsError('settings/unreadable', `${end}, which a setting names, cannot be looked at`, { path: end });
  if (state === 'folder' && as === 'any') return coverFolder(end, survey, found);
  if (state === 'file') await coverPath(end, survey, found);
  else
    putState(
      { path: nameOf(end, survey), kind: as === 'any' && state === 'other' ? 'other' : 'none', digest: '' },
      survey,
    );
  return [];
}

async function coverFolder(folder: string, survey: Survey, found: Set<string>): Promise<readonly NamedPath[]> {
  found.add(folder);
  const name = nameOf(folder, survey);
  if (survey.states.get(name)?.kind === 'folder') return [];
  putState({ path: name, kind: 'folder', digest: '' }, survey);
  const files = await filesBelow(folder, survey.budget, WITHOUT);
  for (const file of files) putState({ ...file, path: `${name}/${file.path}` }, survey);
  return files.flatMap(({ kind, path }) => (kind === 'link' ? [{ path: join(folder, path), as: 'any' } as const] : []));
}

/** Covers a file, or a link by where it leads. */
async function coverPath(path: string, survey: Survey, found: Set<string>): Promise<void> {
  if (!isInside(path, survey)) return;
  found.add(path);
  const name = nameOf(path, survey);
  const before = survey.states.get(name);
  if (before === undefined || before.kind === 'none') putState(await fileAt(path, name, survey.budget), survey);
}

/** A state that says more stays: a folder is `none` for a name that means files alone. */
function putState(state: FoundFile, { states }: Survey): void {
  const before = states.get(state.path);
  if (before === undefined || before.kind === 'none') states.set(state.path, state);
}

function nameOf(path: string, { workspace }: Survey): string {
  return relative(workspace, path).replaceAll(sep, '/');
}

function isInside(path: string, { workspace }: Survey, also?: 'or is'): boolean {
  return (
    (also === 'or is' && path === workspace) ||
    path.startsWith(workspace.endsWith(sep) ? workspace : `${workspace}${sep}`)
  );
}
