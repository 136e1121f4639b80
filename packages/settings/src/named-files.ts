// The files of a workspace that its settings name as programs, or as what programs are given: whoever changes one of them
// changes what a trusted setting starts. What these files load in turn is not covered.

import { basename, dirname, join, relative, resolve, sep } from 'node:path';

import type { Followed, KnownStates } from './follow-path.ts';
import { followPath } from './follow-path.ts';
import { MANIFESTS, readManifest, scriptsNamed } from './manifests.ts';
import type { NamedPath, NamedPaths } from './named-paths.ts';
import { entriesOf, namedPaths } from './named-paths.ts';
import type { FoundFile, ReadBudget } from './plain-files.ts';
import { fileAt, filesBelow, readBudget } from './plain-files.ts';
import { SettingsError } from './settings-error.ts';
import type { StartedProgram } from './started-programs.ts';

/** The files that one setting names. */
export interface NamedBy {
  /** The setting: `mcp.servers.tax`. */
  readonly by: string;
  /** Real and absolute, sorted: files, links, and folders, which stand for all that is below them. */
  readonly paths: readonly string[];
  /** Programs that it starts, or may start by a script, of which no file tells what they start in turn: `make`. */
  readonly untold: readonly string[];
}

/** See the head of this file. */
export interface NamedFiles {
  /** For the digest: each path below the workspace that is named, there or not, and its state. By path. */
  readonly states: readonly FoundFile[];
  readonly named: readonly NamedBy[];
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
  const named: NamedBy[] = [];
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
interface Place {
  readonly folder: string;
  readonly as: NamedPath['as'];
}

/** More scripts than this are not followed: a script may name each other one. */
const MOST_SCRIPTS = 200;

async function coverProgram(
  program: StartedProgram,
  { folder, as }: Place,
  survey: Survey,
  cover: Cover,
): Promise<void> {
  const names = namedPaths(program, folder);
  const { runnerFiles } = names;
  const looked = new Set<string>();
  const scripts: Script[] = [];
  let hasFile = false;
  const words = names.paths.map((one) => (as === 'any' ? one : { ...one, as }));
  const isWord = new Set<NamedPath>(words);
  const left: NamedPath[] = [{ path: folder, as }, ...words];
  if (runnerFiles.length > 0) left.push(...foldersAbove(folder, survey).map((path) => ({ path, as: 'file' }) as const));
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
    if (end.state === 'file' && isWord.has(one)) hasFile = true;
    if (end.state !== 'file' || !MANIFESTS.has(basename(one.path)) || !isInside(end.end, survey)) continue;
    const inManifest = await namedInManifest(one, names, end.end);
    left.push(...inManifest.entries);
    scripts.push(...inManifest.scripts);
  }
  for (const name of names.untold) cover.untold.add(name);
  if (scripts.length === 0)
    for (const name of names.scriptRunners) if (!hasFile || !RUNS_FILES.has(name)) cover.untold.add(name);
  await coverScripts(program, scripts, survey, cover);
}

/** Task runners that also run a file that is named, as in `bun server.ts`. */
const RUNS_FILES: ReadonlySet<string> = new Set(['bun', 'deno']);

/** A line for a shell, and the folder that it runs in. */
interface Script {
  readonly folder: string;
  readonly line: string;
}

/** Returns what a manifest names: its entry file where an interpreter runs it, and the scripts that the words name. */
async function namedInManifest(
  { path, runsEntry }: NamedPath,
  { pieces, scriptRunners }: NamedPaths,
  end: string,
): Promise<{ readonly entries: readonly NamedPath[]; readonly scripts: readonly Script[] }> {
  const manifest = await readManifest(end);
  const folder = dirname(path);
  const entries = runsEntry === true ? manifest.entries.flatMap((entry) => [entry, ...entriesOf(entry)]) : [];
  const lines = scriptRunners.length > 0 ? scriptsNamed(manifest, pieces) : [];
  return {
    entries: entries.map((entry) => ({ path: join(folder, entry), as: 'file' })),
    scripts: lines.map((line) => ({ folder, line })),
  };
}

/** A script is a program of its own: it may name files, and other scripts. */
async function coverScripts(
  { by }: StartedProgram,
  scripts: readonly Script[],
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
  { state, end }: Followed,
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
