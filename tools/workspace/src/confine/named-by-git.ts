// Files that a repository names: git reads more settings from `include.path` and runs the programs in `core.hooksPath`. Parts of
// the repository may be links. A workspace may hold all of these outside of `.git`, such as `.githooks`.

import { lstatSync, readdirSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { beginningOf } from './beginning-of.ts';
import { codeOf } from './file-problem.ts';
import { pathInside } from './path-inside.ts';
import { resolveLinksNow } from './resolve-links.ts';

/** A file or folder that the settings of a repository name, or that a link in it leads to. */
export interface NamedByGit {
  /** Absolute. Links are not followed. It need not exist. */
  readonly path: string;
  readonly as: 'settings' | 'hooks';
}

/** The folders of a repository. */
export interface GitFolders {
  /** The folder that git works in. */
  readonly tree: string;
  /** Absolute paths of the folders with the settings: `.git`, what it leads to, and its common folder. */
  readonly stores: readonly string[];
}

/** More settings are not read. */
const MOST_BYTES = 1024 * 1024;

/** Git follows as many includes. */
const MOST_DEEP = 10;

/** Settings files that are read for a repository, and hooks that are looked at. */
const MOST_FILES = 100;

/** Parts of a repository that git takes settings from. Another part that is a link leads to nothing that runs. */
const SETTINGS = ['config', 'config.worktree', 'info'];

/** The repository of a folder with a `.git`, or of a bare repository; `undefined` for any other folder. */
export function gitFoldersOf(tree: string): GitFolders | undefined {
  const path = join(tree, '.git');
  const stats = statsOf(path);
  if (stats === undefined) return isBare(tree) ? { tree, stores: withCommon(tree) } : undefined;
  const own = stats.isFile() ? pointedTo(path, /^gitdir: (.*)$/m) : resolveLinksNow(path);
  return { tree, stores: own === undefined ? [] : withCommon(own) };
}

function isBare(folder: string): boolean {
  const has = (name: string): boolean => statsOf(join(folder, name)) !== undefined;
  return has('HEAD') && ((has('objects') && has('refs')) || has('commondir'));
}

function withCommon(own: string): readonly string[] {
  const common = pointedTo(join(own, 'commondir'), /^(.*)$/m);
  return common === undefined ? [own] : [own, common];
}

/** The path that a small file names, from its own folder on; `undefined` where it names none. */
export function pointedTo(path: string, line: RegExp): string | undefined {
  const [, target] = line.exec(beginningOf(path) ?? '') ?? [];
  return target === undefined || target === '' ? undefined : resolve(dirname(path), target.trimEnd());
}

function statsOf(path: string): ReturnType<typeof lstatSync> {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    // Closed to this user: then git of this user cannot use it either.
    return undefined;
  }
}

/**
 * Returns what the settings of a repository name, files that they include read too. Conditions of `includeIf` are taken as
 * met. Never runs git.
 *
 * @param home For paths that begin with `~/`; without it they are left out.
 */
export function namedByGit({ tree, stores }: GitFolders, home: string | undefined): readonly NamedByGit[] {
  const named: NamedByGit[] = [];
  const seen = new Set<string>();
  const read = (file: string, deep: number): void => {
    if (deep > MOST_DEEP || seen.size === MOST_FILES || seen.has(file)) return;
    seen.add(file);
    for (const { section, key, value } of readGitSettings(beginningOf(resolveLinksNow(file), MOST_BYTES) ?? '')) {
      if (section === 'core' && key === 'hookspath') named.push(...placeOf(value, tree, home, 'hooks'));
      if (key !== 'path' || (section !== 'include' && section !== 'includeif')) continue;
      const included = placeOf(value, dirname(file), home, 'settings');
      named.push(...included);
      for (const { path } of included) read(path, deep + 1);
    }
  };
  for (const store of stores) for (const name of ['config', 'config.worktree']) read(join(store, name), 0);
  return [...named, ...stores.flatMap((store) => linkedIn(store, tree))];
}

/** A store that is reached through links, and links in it. */
function linkedIn(store: string, tree: string): readonly NamedByGit[] {
  const whole = store !== tree && resolveLinksNow(store) !== store ? [{ path: store, as: 'settings' as const }] : [];
  const hooks = join(store, 'hooks');
  const parts = [
    ...SETTINGS.map((name) => ({ path: join(store, name), as: 'settings' as const })),
    ...[hooks, ...namesIn(hooks).map((name) => join(hooks, name))].map((path) => ({ path, as: 'hooks' as const })),
  ];
  return [...whole, ...parts.filter(({ path }) => statsOf(path)?.isSymbolicLink() === true)];
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).slice(0, MOST_FILES);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return [];
  }
}

/** A path as git takes it. `~user/` and `%(prefix)/` lead out of any workspace that is not as wide as the machine. */
function placeOf(value: string, folder: string, home: string | undefined, as: NamedByGit['as']): readonly NamedByGit[] {
  if (value === '' || value.includes('\0') || value.startsWith('%(prefix)')) return [];
  if (!value.startsWith('~')) return [{ path: isAbsolute(value) ? resolve(value) : resolve(folder, value), as }];
  const below = /^~(?:\/(.*))?$/s.exec(value);
  return below === null || home === undefined ? [] : [{ path: join(home, below[1] ?? ''), as }];
}

/**
 * Why a write of this absolute path is asked about, where the settings of a repository that holds it name it; `undefined` where
 * none does. Repositories next to the path are not looked at.
 *
 * @param workspace Real and absolute. Of a folder of hooks that holds it only the files directly in it count.
 */
export function reasonByGit(path: string, workspace: string, home: string | undefined): string | undefined {
  const repositories = foldersAbove(path).flatMap((folder) => gitFoldersOf(folder) ?? []);
  const named = repositories.flatMap((each) => namedByGit(each, home));
  const found = named.find((each) =>
    [each.path, resolveLinksNow(each.path)].some((place) => covers(place, path, workspace)),
  );
  return found && (found.as === 'hooks' ? 'git runs hooks from its folder' : 'git takes settings from it');
}

function covers(place: string, path: string, workspace: string): boolean {
  return pathInside(place, workspace) === undefined ? pathInside(place, path) !== undefined : dirname(path) === place;
}

/** Returns the folders above a path, the nearest first. */
export function foldersAbove(path: string): readonly string[] {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...foldersAbove(parent)];
}

// Reads the settings of a repository without git, because git would run what they name.

/** One setting: `[includeIf "gitdir:~/work/"] path = x`. */
export interface GitSetting {
  /** In lower case, without the subsection: `includeif`. */
  readonly section: string;
  /** In lower case. */
  readonly key: string;
  readonly value: string;
}

const BLANK = /[ \t\r\n\f\v]+/y;

const COMMENT = /[#;][^\n]*/y;

/** `[core]`, `[includeIf "…"]`, and the old form `[section.subsection]`. */
const HEADER = /\[[ \t]*([A-Za-z0-9-]+)(?:\.[A-Za-z0-9.-]+)?(?:[ \t]+"(?:[^"\\\n]|\\.)*")?[ \t]*\]/y;

const KEY = /([A-Za-z][A-Za-z0-9-]*)[ \t]*(=?)[ \t]*/y;

/** Up to a comment or the end of the line. A backslash continues the line; quotes keep blanks and the signs of comments. */
const VALUE = /(?:[^"\\#;\n]|\\\r?\n|\\.|"(?:[^"\\\n]|\\\r?\n|\\.)*")*/y;

const REST = /[^\n]*/y;

const ESCAPES: ReadonlyMap<string, string> = new Map(Object.entries({ n: '\n', t: '\t', b: '\b' }));

/**
 * Reads the text of a configuration file in git's format. A key without a value is left out. Git refuses a file with a line that
 * it cannot read; here that line is left out, so that nothing is missed that another version of git may read.
 */
export function readGitSettings(text: string): readonly GitSetting[] {
  const settings: GitSetting[] = [];
  let section = '';
  let at = text.startsWith('\u{feff}') ? 1 : 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    at += found?.[0].length ?? 0;
    return found;
  };
  while (at < text.length) {
    if (take(BLANK) !== null || take(COMMENT) !== null) continue;
    const header = take(HEADER);
    if (header !== null) section = (header[1] ?? '').toLowerCase();
    if (header !== null) continue;
    const key = take(KEY);
    if (key === null || key[2] === '') take(REST);
    else settings.push({ section, key: (key[1] ?? '').toLowerCase(), value: valueOf(take(VALUE)?.[0] ?? '') });
    if (key !== null) take(REST);
  }
  return settings;
}

function valueOf(written: string): string {
  return written
    .trimEnd()
    .replaceAll(/\\(\r?\n|.)|"/g, (_, escaped: string | undefined) =>
      escaped === undefined || escaped.endsWith('\n') ? '' : (ESCAPES.get(escaped) ?? escaped),
    );
}
