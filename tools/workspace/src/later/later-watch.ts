// Later watch: finds files that a program on this machine later runs or reads as settings, outside the sandbox. Such
// programs are an editor, a shell, git or a package manager. Tools may change these files, because the task often
// requires it. After a turn, the user is shown which of these files the turn changed.

import type { Notice, TurnWatch } from '@tidemark/agent';
import { createHash } from 'node:crypto';
import { readRegularFileSync } from '@tidemark/files';
import { parseJson } from '@tidemark/log';
import type { BigIntStats } from 'node:fs';
import { lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { codeOf } from '../confine/file-problem.ts';
import { showName } from '../confine/show-name.ts';
import type { StartOptions } from '../confine/start-files.ts';
import { startPaths } from '../confine/start-files.ts';
import { createRepositoryFinder } from '../sandbox/find-repositories.ts';
import type { IndexedEntry } from '../sandbox/folder-index.ts';
import { createFolderIndex } from '../sandbox/folder-index.ts';

/** Watched file names, in any folder. In addition, new repositories and start files are watched. */
const NAMES = [
  '.envrc',
  '.pre-commit-config.yaml',
  'lefthook.yml',
  'package.json',
  '.devcontainer.json',
  'devcontainer.json',
  '.mcp.json',
  '.mise.toml',
  'mise.toml',
];
/** Watched file names that count only in certain folders. The key is the name of the folder. */
const IN_FOLDERS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries<readonly string[]>({
    '.vscode': ['tasks.json', 'settings.json', 'launch.json'],
  }),
);
/** Folders in which every file is watched. */
const WHOLE = ['.husky', '.githooks'];
/**
 * Maximum size in bytes of a file whose content is compared. For a larger file, the size and the modification time are
 * compared.
 */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_NAMED = 20;

interface Print {
  readonly changed: bigint;
  readonly inode: bigint;
  readonly print: string;
}

/** Options of `createLaterWatch`. */
export interface LaterOptions {
  /** Absolute path of the workspace. It must exist when a turn begins. */
  readonly folder: string;
  readonly home?: string | undefined;
  /** Environment variables that contain paths of start files and programs, for example `PATH`. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** Maximum number of folders in one search. The default is 20,000. */
  readonly most?: number | undefined;
}

/**
 * Creates a watch. After each turn, the watch reports the changed files that a program on this machine runs later. If a
 * part of the workspace is not watched, a notice gives the reason. The notice is shown only one time.
 */
export function createLaterWatch({ folder, most, ...start }: LaterOptions): TurnWatch {
  let opened: Watched | undefined;
  const reported = new Set<string>();
  return {
    async begin() {
      opened ??= openWatched({ ...start, workspace: realpathSync.native(folder) }, most);
      const { root, look } = opened;
      const before = await look();
      return async () => {
        const after = await look();
        const limits = [...new Set([...before.limits, ...after.limits])].filter((limit) => !reported.has(limit));
        for (const limit of limits) reported.add(limit);
        return [...noticesOf(root, before.prints, after.prints), ...limitNotices(limits)];
      };
    },
  };
}

function limitNotices(limits: readonly string[]): readonly Notice[] {
  if (limits.length === 0) return [];
  const message = `not all files that run later on this machine are watched: ${limits.join('; ')}`;
  return [
    {
      code: 'workspace/watch-limit',
      message,
      next: 'check the other files yourself before you use git, npm or an editor there',
    },
  ];
}

interface WatchLook {
  /** Fingerprint of the content of each watched file, by path. */
  readonly prints: ReadonlyMap<string, string>;
  /** Reasons in words why a part of the workspace was not searched. */
  readonly limits: readonly string[];
}

interface Watched {
  readonly root: string;
  look(): Promise<WatchLook>;
}

function openWatched(start: StartOptions, most: number | undefined): Watched {
  const root = start.workspace;
  const repositories = createRepositoryFinder(root, start.home);
  const names = new Set([...NAMES, ...[...IN_FOLDERS.values()].flat()]);
  const skipped = new Set(['.git', 'node_modules']);
  const bound = most === undefined ? {} : { most };
  const index = createFolderIndex({ root, names, skipped, whole: new Set(WHOLE), ...bound });
  let prints: ReadonlyMap<string, Print> = new Map();
  return {
    root,
    async look() {
      const { entries, limit } = await index.look();
      const named = entries.filter(runsLater).map((entry) => join(entry.folder, entry.name));
      const { stores, links, limit: otherLimit } = await repositories();
      const paths = new Set([...named, ...startPaths(start).flatMap(filesIn), ...stores, ...links]);
      prints = new Map([...paths].flatMap((path) => takePrint(path, prints)));
      const limits = [limit, otherLimit].filter((each) => each !== undefined);
      return { prints: new Map([...prints].map(([path, { print }]) => [path, print])), limits };
    },
  };
}

function runsLater({ folder, name }: IndexedEntry): boolean {
  const parts = folder.split(sep);
  return (
    NAMES.includes(name) ||
    IN_FOLDERS.get(parts.at(-1) ?? '')?.includes(name) === true ||
    WHOLE.some((one) => parts.includes(one))
  );
}

/**
 * Returns the files directly in a folder of programs or start files. Does not include deeper levels. If the path is not
 * a folder, returns the path itself.
 */
function filesIn(path: string): readonly string[] {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [path];
  return readdirSync(path).map((name) => join(path, name));
}

/**
 * Returns the path with its fingerprint. If the path does not exist, returns an empty list. If a file has not changed
 * since the last search, it is not read again. The fingerprint of a folder shows only that the folder exists.
 */
function takePrint(path: string, known: ReadonlyMap<string, Print>): readonly (readonly [string, Print])[] {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) return [];
  if (stats.isDirectory()) return [[path, { changed: 0n, inode: 0n, print: 'folder' }]];
  const before = known.get(path);
  const { ctimeNs: changed, ino: inode } = stats;
  const isSame = before !== undefined && before.changed === changed && before.inode === inode;
  return [[path, isSame ? before : { changed, inode, print: printOf(path, stats) }]];
}

function printOf(path: string, stats: BigIntStats): string {
  try {
    if (stats.isSymbolicLink()) return `link ${readlinkSync(path)}`;
    if (!stats.isFile() || stats.size > MAX_BYTES) return `${stats.mtimeNs} ${stats.size}`;
    const text = readRegularFileSync(path, { most: MAX_BYTES, links: 'refuse' }).toString('utf8');
    return createHash('sha256')
      .update(path.endsWith(`${sep}package.json`) ? scriptsIn(text) : text)
      .digest('hex');
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return 'unreadable';
  }
}

/**
 * Returns the scripts of a `package.json`, because npm runs them. Some scripts, such as `postinstall`, run without a
 * command of the user. If the text is not valid JSON, returns the whole text.
 */
function scriptsIn(text: string): string {
  try {
    const content = parseJson(text);
    const has = typeof content === 'object' && content !== null && 'scripts' in content;
    return has ? JSON.stringify(content.scripts) : '';
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

function noticesOf(
  root: string,
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly Notice[] {
  const changed = [...after]
    .filter(([path, print]) => before.get(path) !== print && print !== EMPTY)
    .map(([path]) => path);
  if (changed.length === 0) return [];
  const named = changed.slice(0, MAX_NAMED).map((path) => nameOf(root, path));
  const more = changed.length > named.length ? ` and ${changed.length - named.length} more` : '';
  const message = `this turn changed files that run later on this machine: ${named.join(', ')}${more}`;
  return [{ code: 'workspace/runs-later', message, next: 'check them before you use git, npm or an editor here' }];
}

/**
 * Fingerprint of an empty text. A new `package.json` without scripts has this fingerprint and is not reported, because
 * it runs nothing.
 */
const EMPTY = createHash('sha256').update('').digest('hex');

function nameOf(root: string, path: string): string {
  const name = showName(relative(root, path));
  return path.endsWith(`${sep}package.json`) ? `${name} (scripts)` : name;
}
