// Finds files that a repository refers to. Git reads more settings from the file in `include.path`, and runs the
// programs in the folder in `core.hooksPath`. Parts of the repository may also be links. A workspace may contain such
// files outside `.git`, for example in `.githooks`.

import { lstatSync, readdirSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { beginningOf } from './beginning-of.ts';
import { codeOf } from './file-problem.ts';
import { pathInside } from './path-inside.ts';
import { resolveLinksNow } from './resolve-links.ts';

/** A file or folder that the settings of a repository refer to, or a symlink in the repository. */
export interface NamedByGit {
  /** Absolute path. Links are not followed. The path need not exist. */
  readonly path: string;
  readonly as: 'settings' | 'hooks';
}

/** The folders of one repository. */
export interface GitFolders {
  /** Working tree of the repository. */
  readonly tree: string;
  /**
   * Absolute paths of the folders that contain the settings. One is the folder `.git`, or the folder that the file
   * `.git` points to. The other is the common folder.
   */
  readonly stores: readonly string[];
}

/** Maximum number of bytes that are read from a settings file. */
const MAX_BYTES = 1024 * 1024;

/** Maximum depth of nested includes. Git has the same limit. */
const MAX_DEEP = 10;

/** Maximum number of settings files read per repository. Also the maximum number of hooks checked per folder. */
const MAX_FILES = 100;

/**
 * Parts of a repository from which git reads settings. The folder `hooks` is handled separately. Git runs nothing from
 * the other parts. If one of them is a link, this does not matter.
 */
const SETTINGS = ['config', 'config.worktree', 'info'];

/**
 * If a folder contains `.git` or is a bare repository, returns its repository. For any other folder, returns
 * `undefined`.
 */
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

/**
 * Reads a small file that contains a path. Returns the path, resolved from the folder of the file. `line` is the
 * pattern that finds the path in the text. If the file contains no path, returns `undefined`.
 */
export function pointedTo(path: string, line: RegExp): string | undefined {
  const [, target] = line.exec(beginningOf(path) ?? '') ?? [];
  return target === undefined || target === '' ? undefined : resolve(dirname(path), target.trimEnd());
}

function statsOf(path: string): ReturnType<typeof lstatSync> {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    // The user has no access to this path. Therefore git cannot use the path for this user.
    return undefined;
  }
}

/**
 * Returns the files and folders that the settings of a repository refer to, including included settings files. Every
 * `includeIf` condition counts as true. Also returns the links in the repository. Never runs git.
 *
 * @param home Home folder for paths that begin with `~/`. Without it, these paths are omitted.
 */
export function namedByGit({ tree, stores }: GitFolders, home: string | undefined): readonly NamedByGit[] {
  const named: NamedByGit[] = [];
  const seen = new Set<string>();
  const read = (file: string, deep: number): void => {
    if (deep > MAX_DEEP || seen.size === MAX_FILES || seen.has(file)) return;
    seen.add(file);
    for (const { section, key, value } of readGitSettings(beginningOf(resolveLinksNow(file), MAX_BYTES) ?? '')) {
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

/**
 * Returns the symlinks in a folder of git data. If the path of the folder contains a symlink, also returns the folder
 * itself.
 */
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
    return readdirSync(folder).slice(0, MAX_FILES);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return [];
  }
}

/**
 * Returns the path that git would use for this value, as a list with one element. For values such as `~user/` and
 * `%(prefix)/`, returns an empty list. `~user/` refers to another user's home, and `%(prefix)/` to git's installation
 * folder. Neither of them is inside a usual workspace.
 */
function placeOf(value: string, folder: string, home: string | undefined, as: NamedByGit['as']): readonly NamedByGit[] {
  if (value === '' || value.includes('\0') || value.startsWith('%(prefix)')) return [];
  if (!value.startsWith('~')) return [{ path: isAbsolute(value) ? resolve(value) : resolve(folder, value), as }];
  const below = /^~(?:\/(.*))?$/s.exec(value);
  return below === null || home === undefined ? [] : [{ path: join(home, below[1] ?? ''), as }];
}

/**
 * Returns the reason why a write to this absolute path needs the user's consent because of git. Consent is needed if a
 * repository in one of the folders above the path refers to the path. Otherwise returns `undefined`. Repositories in
 * other folders are not checked.
 *
 * @param workspace Real and absolute path of the workspace. If a hooks folder contains the workspace, only files
 * directly in that hooks folder count.
 */
export function reasonByGit(path: string, workspace: string, home: string | undefined): string | undefined {
  const repositories = foldersAbove(path).flatMap((folder) => gitFoldersOf(folder) ?? []);
  const named = repositories.flatMap((each) => namedByGit(each, home));
  const found = named.find((each) =>
    [each.path, resolveLinksNow(each.path)].some((place) => covers(place, path, workspace)),
  );
  return found && (found.as === 'hooks' ? 'git runs hooks from its folder' : 'git reads settings from it');
}

function covers(place: string, path: string, workspace: string): boolean {
  return pathInside(place, workspace) === undefined ? pathInside(place, path) !== undefined : dirname(path) === place;
}

/** Returns the folders above a path, nearest first. */
export function foldersAbove(path: string): readonly string[] {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...foldersAbove(parent)];
}

// The code below parses the settings of a repository. It does not run git, because git would run programs that the
// settings contain.

/** One setting, such as `[includeIf "gitdir:~/work/"] path = x`. */
export interface GitSetting {
  /** Section in lower case without the subsection, such as `includeif`. */
  readonly section: string;
  /** Key in lower case. */
  readonly key: string;
  readonly value: string;
}

const BLANK = /[ \t\r\n\f\v]+/y;

const COMMENT = /[#;][^\n]*/y;

/** Matches `[core]`, `[includeIf "…"]` and the old form `[section.subsection]`. */
const HEADER = /\[[ \t]*([A-Za-z0-9-]+)(?:\.[A-Za-z0-9.-]+)?(?:[ \t]+"(?:[^"\\\n]|\\.)*")?[ \t]*\]/y;

const KEY = /([A-Za-z][A-Za-z0-9-]*)[ \t]*(=?)[ \t]*/y;

/**
 * Matches a value until a comment or the end of the line. After a backslash at its end, a value continues on the next
 * line. Quotes preserve blanks and comment characters.
 */
const VALUE = /(?:[^"\\#;\n]|\\\r?\n|\\.|"(?:[^"\\\n]|\\\r?\n|\\.)*")*/y;

const REST = /[^\n]*/y;

const ESCAPES: ReadonlyMap<string, string> = new Map(Object.entries({ n: '\n', t: '\t', b: '\b' }));

/**
 * Parses the text of a configuration file in git's format. Keys without a value are skipped. If a line is unreadable,
 * git refuses the whole file. This parser skips the line and continues, because another version of git may read it.
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
