// The files of a workspace that its settings name as programs, or as what programs are given: whoever changes one of them
// changes what a trusted setting starts. What these files load in turn is not covered.

import { dirname, join, relative, resolve, sep } from 'node:path';

import type { Followed, KnownStates } from './follow-path.ts';
import { followPath } from './follow-path.ts';
import type { NamedPath } from './named-paths.ts';
import { namedPaths } from './named-paths.ts';
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
 * @throws SettingsError `settings/too-much` above 5,000 files or 64 MiB, `settings/unreadable` for a file that may not be read.
 */
export async function readNamedFiles(programs: readonly StartedProgram[], workspace: string): Promise<NamedFiles> {
  const survey: Survey = { workspace, known: new Map(), states: new Map(), budget: readBudget() };
  const named: NamedBy[] = [];
  for (const program of programs) {
    const paths = await coverProgram(program, survey);
    if (paths.size > 0) named.push({ by: program.by, paths: outermost(paths).toSorted() });
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

async function coverProgram(program: StartedProgram, survey: Survey): Promise<ReadonlySet<string>> {
  const folder = resolve(survey.workspace, program.cwd ?? '.');
  const { paths, runnerFiles } = namedPaths(program, folder);
  const found = new Set<string>();
  const looked = new Set<string>();
  const left: NamedPath[] = [{ path: folder, as: 'any' }, ...paths];
  if (runnerFiles.length > 0) left.push(...foldersAbove(folder, survey).map((path) => ({ path, as: 'file' }) as const));
  // It grows as it is walked.
  for (const one of left) {
    if (looked.has(`${one.as} ${one.path}`)) continue;
    looked.add(`${one.as} ${one.path}`);
    const end = followPath(one.path, survey.known);
    for (const link of end.links) await coverPath(link, survey, found);
    left.push(...(await coverEnd(end, one.as, survey, found)));
    if (end.state === 'folder' && runnerFiles.length > 0 && isInside(end.end, survey, 'or is'))
      left.push(...runnerFiles.map((name) => ({ path: join(end.end, name), as: 'file' }) as const));
  }
  return found;
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
