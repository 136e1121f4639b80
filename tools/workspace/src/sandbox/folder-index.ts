// Folder index: remembers the folders below a workspace. Therefore entries at any depth are found quickly before and
// after each command. A look reads only the folders that changed since the last look. For each other folder, only one
// `lstat` is needed.

import type { BigIntStats, Dirent } from 'node:fs';
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { codeOf } from '../confine/file-problem.ts';
import { showName } from '../confine/show-name.ts';

/** Options of `createFolderIndex`: the folders to enter and the entries to list. */
export interface IndexOptions {
  /** Real and absolute path. Links below this path are not followed. */
  readonly root: string;
  /** Names of the entries to list. In a folder that cannot be listed, each of these names is looked up. */
  readonly names: ReadonlySet<string>;
  /** Names of folders that are not entered. */
  readonly skipped: ReadonlySet<string>;
  /** Names of folders in which every file is listed, at any depth. */
  readonly whole?: ReadonlySet<string>;
  /** Returns true if a folder with these listed entries must not be entered. Not called for the root. */
  readonly closed?: (names: ReadonlySet<string>) => boolean;
  /**
   * Maximum number of folders that one call of `look` reads. The default is 20,000. Folders near the root are read
   * first, `node_modules` last.
   */
  readonly most?: number;
  /**
   * Reads the stats of a path without following a link. The default is `lstat`. Tests of coarse clocks use another
   * function.
   */
  readonly lookAt?: LookAt;
}

/**
 * Returns the stats of a path without following a link, or `undefined` if it does not exist.
 *
 * @throws the system error when the file system refuses.
 */
export type LookAt = (path: string) => BigIntStats | undefined;

/** Reads the stats of a path on this machine. */
export const lookAtFile: LookAt = (path) => lstatSync(path, { bigint: true, throwIfNoEntry: false });

export interface IndexedEntry {
  readonly folder: string;
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
}

/** Result of one look: the listed entries, and the limit that was reached, if any. */
export interface IndexedLook {
  readonly entries: readonly IndexedEntry[];
  /** Reasons in words why a part was not searched. If everything was searched, this field is absent. */
  readonly limit?: string;
}

/** An index of the folders below a workspace. A look reads only the folders that changed since the last look. */
export interface FolderIndex {
  look(): Promise<IndexedLook>;
}

interface KnownFolder {
  readonly changed: bigint;
  readonly inode: bigint;
  /**
   * True if the folder had not changed for 2 seconds (`CLOCK_MS`) when it was read. If false, the folder is read again.
   * A later change may have the same change time, so it could not be detected.
   */
  readonly settled: boolean;
  readonly folders: readonly string[];
  readonly entries: readonly IndexedEntry[];
  readonly readable: boolean;
  /** Number of subfolders whose names are not UTF-8. This process cannot create a path to them. */
  readonly unnamed: number;
}

const MAX_FOLDERS = 20_000;
const YIELD_EVERY = 1_000;
/** Character that Node returns for bytes that are not UTF-8. */
const NOT_UTF8 = '\u{fffd}';
/** Resolution of the coarsest file system clock in use, in milliseconds. */
const CLOCK_MS = 2_000;

/** Creates an empty index. The first look reads every folder. */
export function createFolderIndex(options: IndexOptions): FolderIndex {
  const { root, most = MAX_FOLDERS } = options;
  let known: ReadonlyMap<string, KnownFolder> = new Map();
  return {
    async look() {
      const seen = new Map<string, KnownFolder>();
      const [near, far]: [string[], string[]] = [[root], []];
      for (const path of inTurn(near, far)) {
        if (seen.size === most) break;
        if (seen.size % YIELD_EVERY === YIELD_EVERY - 1) await yieldToOthers();
        const folder = knownNow(path, known.get(path), options);
        if (folder === undefined) continue;
        seen.set(path, folder);
        for (const name of folder.folders) (name === 'node_modules' ? far : near).push(join(path, name));
      }
      known = seen;
      return lookOf(seen, near.length + far.length > seen.size && seen.size === most ? most : undefined);
    },
  };
}

/**
 * Yields all paths of the first list, then the next path of the second list. Both lists may grow during this time. New
 * paths in the first list are yielded first.
 */
function* inTurn(near: readonly string[], far: readonly string[]): Generator<string> {
  let [nearAt, farAt] = [0, 0];
  for (;;) {
    const next = near[nearAt] ?? far[farAt];
    if (next === undefined) return;
    if (nearAt < near.length) nearAt += 1;
    else farAt += 1;
    yield next;
  }
}

function lookOf(seen: ReadonlyMap<string, KnownFolder>, most: number | undefined): IndexedLook {
  const entries = [...seen.values()].flatMap((folder) => folder.entries);
  const unread = [...seen].filter(([, { readable }]) => !readable).map(([path]) => path);
  const unnamed = [...seen.values()].reduce((sum, folder) => sum + folder.unnamed, 0);
  const limits = [
    ...(most === undefined ? [] : [`only the first ${most} folders are searched`]),
    ...(unread.length === 0 ? [] : [`${unread.length} folders cannot be read, such as ${showName(unread[0] ?? '')}`]),
    ...(unnamed === 0 ? [] : [`${unnamed} folders have names that are not UTF-8`]),
  ];
  return { entries, ...(limits.length > 0 && { limit: limits.join('; ') }) };
}

function knownNow(path: string, before: KnownFolder | undefined, options: IndexOptions): KnownFolder | undefined {
  const stats = statsOf(path, options.lookAt ?? lookAtFile);
  if (stats === 'closed') return { ...CLOSED, changed: 0n, inode: 0n };
  if (stats === undefined || !stats.isDirectory()) return undefined;
  // `ctime` shows if a folder has changed. A program can set the time of a content change (`mtime`), but it cannot set
  // `ctime`.
  const isSame = before !== undefined && before.settled && before.changed === stats.ctimeNs;
  return isSame && before.inode === stats.ino ? before : readFolder(path, stats, options);
}

/** State of a folder that cannot be read. Every look tries to read the folder again. */
const CLOSED = { settled: false, readable: false, folders: [], entries: [], unnamed: 0 } as const;

/**
 * Returns the stats of a path. If the path does not exist, returns `undefined`. For any other system error, such as a
 * denied access or a path that is too long, returns `closed`.
 */
function statsOf(path: string, lookAt: LookAt): BigIntStats | 'closed' | undefined {
  try {
    return lookAt(path);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return 'closed';
  }
}

function readFolder(path: string, stats: BigIntStats, options: IndexOptions): KnownFolder | undefined {
  const settled = Date.now() - Number(stats.ctimeMs) > CLOCK_MS;
  const base = { changed: stats.ctimeNs, inode: stats.ino, settled };
  try {
    const all = readdirSync(path, { withFileTypes: true });
    const entries = indexEntries(path, all, options);
    const isClosed = path !== options.root && options.closed?.(new Set(entries.map(({ name }) => name))) === true;
    const folders = isClosed ? [] : foldersIn(all, options);
    const named = folders.filter((name) => !name.includes(NOT_UTF8));
    return { ...base, readable: true, folders: named, entries, unnamed: folders.length - named.length };
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code === undefined) throw error;
    return { ...base, ...CLOSED, entries: lookedUp(path, options) };
  }
}

function foldersIn(entries: readonly Dirent[], { skipped }: IndexOptions): readonly string[] {
  return entries.filter((entry) => entry.isDirectory() && !skipped.has(entry.name)).map(({ name }) => name);
}

function indexEntries(
  folder: string,
  entries: readonly Dirent[],
  { names, whole, root }: IndexOptions,
): IndexedEntry[] {
  const below = folder.slice(root.length).split('/');
  const isWhole = below.some((name) => whole?.has(name) ?? false);
  return entries
    .filter((entry) => names.has(entry.name) || (isWhole && !entry.isDirectory()))
    .map((entry) => ({ folder, name: entry.name, kind: kindOf(entry) }));
}

/**
 * Looks up the wanted names one by one. If a folder cannot be listed, the files in it may still be accessible by name.
 */
function lookedUp(folder: string, { names }: IndexOptions): IndexedEntry[] {
  return [...names].flatMap((name) => {
    try {
      const stats = lstatSync(join(folder, name), { throwIfNoEntry: false });
      return stats === undefined ? [] : [{ folder, name, kind: kindOf(stats) }];
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      return [];
    }
  });
}

function kindOf(entry: Pick<Dirent, 'isFile' | 'isDirectory' | 'isSymbolicLink'>): IndexedEntry['kind'] {
  if (entry.isSymbolicLink()) return 'link';
  if (entry.isDirectory()) return 'folder';
  return entry.isFile() ? 'file' : 'other';
}
