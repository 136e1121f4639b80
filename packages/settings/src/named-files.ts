// Finds the files of a workspace that its settings name as programs or pass to programs. Anyone who changes such a file
// changes what a trusted setting starts. Therefore these files are part of the digest for trust. If these files load
// further files, the further files are not part of the digest.

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

/** Files that one setting names. */
export interface NamedBySetting {
  /** Name of the setting, such as `mcp.servers.tax`. */
  readonly by: string;
  /** Real, absolute and sorted paths of files, links and folders. A folder includes everything below it. */
  readonly paths: readonly string[];
  /**
   * Programs that the setting starts, directly or by a script, when no file of the workspace shows what they start in
   * turn. Example: `make`.
   */
  readonly untold: readonly string[];
}

/** Files of a workspace that are part of the digest for trust because settings name them. */
export interface NamedFiles {
  /**
   * State of each named path below the workspace, sorted by path. Paths that do not exist are included. The digest for
   * trust is computed from this list.
   */
  readonly states: readonly FoundFile[];
  readonly named: readonly NamedBySetting[];
}

/**
 * Folders whose files are not part of the digest for trust. One contains installed packages, which named files load
 * without naming their files. The other is the store of a Git repository, which has a separate rule.
 */
const WITHOUT: ReadonlySet<string> = new Set(['node_modules', '.git']);

/**
 * Reads the named files of a workspace. The files of a named folder are included, unless the folder is the workspace or
 * contains it.
 *
 * @param known States of paths that were read before.
 * @throws SettingsError `settings/too-much` above 5,000 files or 64 MiB, or above 200 scripts of one setting.
 * `settings/unreadable` for a file that the system does not allow to read.
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

/** Data that is shared during the reading of all programs of one workspace. */
interface Survey {
  readonly workspace: string;
  readonly known: KnownStates;
  /** State of each file, by its path relative to the workspace. */
  readonly states: Map<string, FoundFile>;
  readonly budget: ReadBudget;
}

/** Files, scripts and unknown programs found for one setting. */
interface Cover {
  readonly found: Set<string>;
  /** Scripts that were already read. Each key consists of the folder and the shell line. */
  readonly scripts: Set<string>;
  readonly untold: Set<string>;
}

/**
 * Folder in which a program runs. With `as: 'any'`, all files in this folder are also part of the digest. For a script,
 * `as` is `file`, and the files are not part of the digest.
 */
interface ProgramPlace {
  readonly folder: string;
  readonly as: NamedPath['as'];
}

/** Maximum number of scripts that are read for one setting. The limit is needed because scripts can call each other. */
const MAX_SCRIPTS = 200;

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
  // During the loop, `left` grows: links, files of task runners and entry files that are found on the way are added to
  // it.
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

/** Maximum number of folders that are used for the commands of one line. */
const MAX_FOLDERS = 16;

function foldersFrom(folder: string, { folders: targets, unread }: CommandLine, { untold }: Cover): readonly string[] {
  for (const name of unread) untold.add(name);
  let folders: readonly string[] = [folder];
  for (const target of targets) {
    const next = placesIn(folders, target).map((path) => resolve(path));
    folders = [...new Set([...folders, ...next])];
    if (folders.length <= MAX_FOLDERS) continue;
    untold.add('cd');
    return folders.slice(0, MAX_FOLDERS);
  }
  return folders;
}

/** Programs of a script that are in `node_modules/.bin`. This folder is the first folder in the script's `PATH`. */
interface Bins {
  /** Programs whose link leads to a file of the workspace. */
  readonly inWorkspace: readonly NamedPath[];
  /**
   * Programs that a package provides. The key is the name of the program, and the value is the path of its link in
   * `node_modules/.bin`.
   */
  readonly ofPackages: ReadonlyMap<string, string>;
  /** Names of the programs in `inWorkspace`. */
  readonly known: ReadonlySet<string>;
}

const NO_BINS: Bins = { inWorkspace: [], ofPackages: new Map(), known: new Set() };

function binsOf({ commands }: CommandLine, folder: string, survey: Survey): Bins {
  const inWorkspace: NamedPath[] = [];
  const ofPackages = new Map<string, string>();
  const known = new Set<string>();
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
        known.add(name);
      }
    }
  return { inWorkspace, ofPackages, known };
}

interface KnownCommands {
  readonly folders: readonly string[];
  readonly bins: Bins;
  readonly scriptNames: ReadonlySet<string>;
}

/** Adds programs to `untold`. A program is added if no file shows what it starts. */
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
    // In `PATH`, the program of a package comes before the known program with the same name. Its link becomes part of
    // the digest, so that the user is asked for trust again.
    if (bin !== undefined && untold === undefined) await putBin(bin, survey);
    if (bin !== undefined) cover.untold.add(programName(command.program));
    else if (untold !== undefined && !bins.known.has(command.program)) cover.untold.add(untold);
  }
}

/**
 * Adds the link of a package's program to the digest. Only the path that the link points to is added. The content of
 * the package is not added.
 */
async function putBin(path: string, survey: Survey): Promise<void> {
  const { links } = followPath(path, survey.known);
  if (links.at(-1) === undefined || !links.includes(path))
    return putState({ path: nameOf(path, survey), kind: 'other', digest: '' }, survey);
  putState(await fileAt(path, nameOf(path, survey), survey.budget), survey);
}

interface ShellLine {
  readonly folder: string;
  readonly line: string;
}

/**
 * Returns the files and scripts of a manifest that a command line uses. If an interpreter runs the folder, its entry
 * files are included. A script is included if its name is one of the words of the command line.
 */
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

/** Reads each script as a separate program, because a script can name files and other scripts. */
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
    if (cover.scripts.size > MAX_SCRIPTS)
      throw new SettingsError('settings/too-much', `${by} starts more than the maximum of ${MAX_SCRIPTS} scripts`, {
        setting: by,
      });
    await coverProgram({ by, command: 'sh', args: ['-c', line], env: {} }, { folder, as: 'file' }, survey, cover);
  }
}

/**
 * Returns the folders inside the workspace that contain a folder. A task runner also searches these folders for its
 * file.
 */
function foldersAbove(folder: string, survey: Survey): readonly string[] {
  const above: string[] = [];
  for (let at = dirname(folder); isInside(at, survey, 'or is'); at = dirname(at)) above.push(at);
  return above;
}

/**
 * Adds the file or folder at the end of a path to the result. Returns the links in the folder that must be followed
 * next, or an empty list.
 */
async function coverEnd(
  { state, end }: FollowedPath,
  as: NamedPath['as'],
  survey: Survey,
  found: Set<string>,
): Promise<readonly NamedPath[]> {
  if (!isInside(end, survey)) return [];
  if (state === 'hidden')
    throw new SettingsError('settings/unreadable', `${end}, which a setting names, cannot be read`, { path: end });
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

/** Adds the state of a file or of a link to the result, if it is inside the workspace. */
async function coverPath(path: string, survey: Survey, found: Set<string>): Promise<void> {
  if (!isInside(path, survey)) return;
  found.add(path);
  const name = nameOf(path, survey);
  const before = survey.states.get(name);
  if (before === undefined || before.kind === 'none') putState(await fileAt(path, name, survey.budget), survey);
}

/**
 * Records a state, unless the path already has a state other than `none`. The same folder can be recorded two times: as
 * `none` where only a file would be used, and as a folder.
 */
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
