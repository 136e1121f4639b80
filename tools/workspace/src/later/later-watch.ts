// Files that a program runs or obeys later on this machine, outside of the sandbox: an editor, a shell, git, a package
// manager. Tools may change them, since that is often the task; the user is told which ones a turn changed.

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

/** By their names, wherever they are, beside new repositories and start files. */
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
/** In a folder of this name. */
const IN_FOLDERS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries<readonly string[]>({
    '.vscode': ['tasks.json', 'settings.json', 'launch.json'],
  }),
);
/** With all that is in them. */
const WHOLE = ['.husky', '.githooks'];
/** A `package.json` of more is compared as a whole. */
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_TOLD = 20;

interface Print {
  readonly changed: bigint;
  readonly inode: bigint;
  readonly print: string;
}

/** What is watched. */
export interface LaterOptions {
  /** Absolute; it must exist when a turn begins. */
  readonly folder: string;
  readonly home?: string | undefined;
  /** Variables that name start files and folders of programs. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** Most folders of one look: 20,000 by default. */
  readonly most?: number | undefined;
}

/** Watches a workspace. Why a part of it is not watched is a notice too, given once. */
export function createLaterWatch({ folder, most, ...start }: LaterOptions): TurnWatch {
  let opened: Watched | undefined;
  const told = new Set<string>();
  return {
    async begin() {
      opened ??= openWatched({ ...start, workspace: realpathSync.native(folder) }, most);
      const { root, look } = opened;
      const before = await look();
      return async () => {
        const after = await look();
        const limits = [...new Set([...before.limits, ...after.limits])].filter((limit) => !told.has(limit));
        for (const limit of limits) told.add(limit);
        return [...noticesOf(root, before.prints, after.prints), ...limitNotices(limits)];
      };
    },
  };
}

function limitNotices(limits: readonly string[]): readonly Notice[] {
  if (limits.length === 0) return [];
  const message = `files that run later on this machine are not all watched: ${limits.join('; ')}`;
  return [
    {
      code: 'workspace/watch-limit',
      message,
      next: 'look at the rest yourself before you use git, npm or an editor there',
    },
  ];
}

interface WatchLook {
  /** What each file holds now, by its path. */
  readonly prints: ReadonlyMap<string, string>;
  /** Why something was not looked at, in words. */
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

/** A folder of programs or start files counts with what is in it, not with what is below that. */
function filesIn(path: string): readonly string[] {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [path];
  return readdirSync(path).map((name) => join(path, name));
}

/** A file that did not change since the last look is not read again. Of a folder, a repository, only that it is there counts. */
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
    if (!stats.isFile() || stats.size > MOST_BYTES) return `${stats.mtimeNs} ${stats.size}`;
    const text = readRegularFileSync(path, { most: MOST_BYTES, links: 'refuse' }).toString('utf8');
    return createHash('sha256')
      .update(path.endsWith(`${sep}package.json`) ? scriptsIn(text) : text)
      .digest('hex');
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return 'unreadable';
  }
}

/** Of a `package.json` its scripts are run, by themselves where they are called `postinstall`. */
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
  const told = changed.slice(0, MOST_TOLD).map((path) => nameOf(root, path));
  const more = changed.length > told.length ? ` and ${changed.length - told.length} more` : '';
  const message = `this turn changed what runs later on this machine: ${told.join(', ')}${more}`;
  return [{ code: 'workspace/runs-later', message, next: 'look at it before you use git, npm or an editor here' }];
}

/** A new `package.json` without scripts runs nothing. */
const EMPTY = createHash('sha256').update('').digest('hex');

function nameOf(root: string, path: string): string {
  const name = showName(relative(root, path));
  return path.endsWith(`${sep}package.json`) ? `${name} (scripts)` : name;
}
