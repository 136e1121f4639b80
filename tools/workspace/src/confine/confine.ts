// Confinement: decides which paths the file tools may use. A path is resolved relative to the workspace, and every
// symlink in it is followed. Both the given path and the real path are checked. In any folder, the tools refuse
// credentials, the data of version control and the session logs.

import { defined } from '@tidemark/core';
import type { ToolProblem } from '@tidemark/agent';
import { foldName } from '@tidemark/agent';
import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, resolve, sep } from 'node:path';
import { WorkspaceError } from '../workspace-error.ts';
import { isAgentFile } from './agent-files.ts';
import { codeOf, fileProblem } from './file-problem.ts';
import type { KeyOptions } from './key-files.ts';
import { keyPlaces, KEY_NAMES } from './key-files.ts';
import { reasonByGit } from './named-by-git.ts';
import { pathInside } from './path-inside.ts';
import { resolveLinks, resolveLinksNow } from './resolve-links.ts';
import { showName } from './show-name.ts';
import type { StartOptions } from './start-files.ts';
import { startReason } from './start-files.ts';
import { FileError, readRegularFileSync } from '@tidemark/files';

/** Access rules for the paths of one workspace. */
export interface Confinement {
  /** Absolute path of the workspace, with its symlinks followed. */
  readonly folder: string;
  /**
   * Returns the real place of a path, inside or outside the workspace. If the file tools must not use the path, returns
   * a problem. Changes nothing on disk.
   */
  place(path: string): Promise<WorkspacePlace | ToolProblem>;
  /** Does the same as `place`. If the path is outside the workspace, also returns a problem. */
  placeInside(path: string): Promise<WorkspacePlace | ToolProblem>;
  /**
   * Returns the reason why an absolute path is refused, for example a protected name, or an `.npmrc` with a login. If
   * the path is allowed, returns `undefined`. A search calls this method for each file that it finds.
   */
  refusal(path: string): string | undefined;
}

/** A path that passed the checks of `Confinement.place`. */
export interface WorkspacePlace {
  /** Absolute path with every symlink followed. */
  readonly path: string;
  /**
   * Path for messages, on one line. If the place is inside the workspace, the path is relative to it. Otherwise it is
   * absolute.
   */
  readonly shown: string;
  readonly inside: boolean;
  /**
   * Reason why a write to this path needs the user's consent, even inside the workspace and in mode `auto`. If no
   * consent is needed, this field is absent.
   */
  readonly asks?: string;
  /** True if agents take instructions or settings from this path. */
  readonly sensitive?: true;
}

/**
 * Options of `createConfinement`: the workspace folder, and paths to refuse or to protect. These paths are added to the
 * well-known names in this file. `home` and `environment` are used to find key files and start files.
 */
export interface ConfinementOptions extends Omit<StartOptions, 'workspace'> {
  readonly folder: string;
  /**
   * Absolute paths of refused files or folders, most importantly the folder of the session logs. It is allowed that a
   * path does not exist.
   */
  readonly forbidden?: readonly string[];
  /**
   * Absolute paths of files that a trusted setting starts. A write to one of them needs the user's consent. It is
   * allowed that a path does not exist.
   */
  readonly protectedPaths?: readonly string[];
}

/**
 * Creates the confinement of a workspace.
 *
 * @throws WorkspaceError `workspace/no-folder` when `folder` is not a folder that can be opened.
 */
export function createConfinement({ folder: given, forbidden = [], ...asked }: ConfinementOptions): Confinement {
  const folder = realFolder(given);
  const kept = forbidden.map((path) => resolveLinksNow(path));
  const keyAt = keysBeyond(folder, asked);
  const refusal = (path: string): string | undefined => refusalOf(path, folder, kept) ?? keyAt(path);
  const place = async (path: string): Promise<WorkspacePlace | ToolProblem> => {
    const unusable = unusablePath(path);
    if (unusable !== undefined) return { problem: unusable };
    const named = resolve(folder, path);
    const found = await realPlace(named, folder);
    if ('problem' in found) return found;
    const why = refusal(named) ?? refusal(found.path);
    if (why !== undefined)
      return { problem: `${found.shown} is refused: ${why}. Continue without it, or ask the user.` };
    const paths = [...new Set([named, found.path])];
    const asks = reasonToAsk(paths, folder, asked);
    const sensitive = paths.some((one) => isAgentFile(one, folder)) ? true : undefined;
    return { ...found, ...defined({ asks, sensitive }) };
  };
  return {
    folder,
    refusal,
    place,
    async placeInside(path) {
      const found = await place(path);
      if ('problem' in found || found.inside) return found;
      return {
        problem: `${found.shown} is outside the workspace ${showName(folder)}: file tools read only inside it. Ask the user to copy it into the workspace.`,
      };
    },
  };
}

function unusablePath(path: string): string | undefined {
  if (path === '') return '`path` is empty. Pass the path of a file, or `.` for the workspace.';
  if (path.includes('\0')) return '`path` contains a NUL character, which is not allowed in file names. Remove it.';
  // A shell replaces `~` with the home folder. A file tool does not, and would create a folder named `~`.
  if (path === '~' || path.startsWith('~/'))
    return '`~` in `path` is not expanded. Pass a path relative to the workspace root, or an absolute path.';
  return undefined;
}

/**
 * Returns the reason why a write to these paths needs the user's consent. If no consent is needed, returns `undefined`.
 * Symlinks are followed at every call, because their targets may have changed since the last call.
 */
function reasonToAsk(
  paths: readonly string[],
  workspace: string,
  { protectedPaths = [], home, environment }: Omit<ConfinementOptions, 'folder' | 'forbidden'>,
): string | undefined {
  const started = protectedPaths.map((path) => resolveLinksNow(path));
  if (paths.some((path) => started.some((one) => pathInside(one, path) !== undefined)))
    return 'a trusted setting starts it';
  if (paths.some((path) => isNpmSettings(path))) return 'npm reads from it which programs to start';
  const reasons = [
    ...paths.map((path) => startReason(path, { workspace, home, environment })),
    ...paths.map((path) => reasonByGit(path, workspace, home)),
  ];
  return reasons.find((why) => why !== undefined);
}

async function realPlace(named: string, folder: string): Promise<WorkspacePlace | ToolProblem> {
  try {
    const path = await resolveLinks(named);
    const within = pathInside(folder, path);
    return { path, shown: showName(within === undefined ? path : within || '.'), inside: within !== undefined };
  } catch (error) {
    const problem = fileProblem(showName(named), error);
    if (problem === undefined) throw error;
    return { problem };
  }
}

/**
 * Returns the reason why a path is refused. If the path is allowed, returns `undefined`. For a path inside the
 * workspace, every name below the workspace is checked. The names of the folders above the workspace are not checked,
 * because the user chose them. For any other path, every name in the path is checked.
 */
function refusalOf(path: string, folder: string, kept: readonly string[]): string | undefined {
  if (kept.some((home) => pathInside(home, path) !== undefined)) return 'it is part of the log of the sessions';
  // `/proc` shows the environment and the memory of processes, including the keys of this process. This check is needed
  // if the workspace contains `/proc`, for example if the workspace is `/`.
  if (pathInside('/proc', path) !== undefined) return 'it shows the memory and environment of processes';
  const names = (pathInside(folder, path) ?? path).split(sep);
  for (const name of names) {
    const why = forbiddenName(name);
    if (why !== undefined) return `${showName(name)} contains ${why}`;
  }
  return holdsNpmLogin(path) ? `${showName(basename(path))} contains credentials of a package registry` : undefined;
}

/**
 * Returns a function. For a path that contains keys of other programs, this function returns the reason for the
 * refusal. Such keys are at known places in the home folder, or at places that environment variables name. If such a
 * place contains the workspace, paths inside the workspace are not refused, because the user chose that workspace.
 */
function keysBeyond(folder: string, { home, environment }: KeyOptions): (path: string) => string | undefined {
  const homes = home === undefined ? [] : [home, resolveLinksNow(home)];
  const holds = new Map<string, string>();
  for (const place of keyPlaces({ home, environment }))
    for (const path of [place.path, resolveLinksNow(place.path)])
      // A place for keys can be a link to the home folder, or to a folder above it. Every path in the home would then
      // be refused. Therefore such a link is skipped.
      if (homes.every((each) => pathInside(path, each) === undefined)) holds.set(foldName(path), place.holds);
  const workspace = foldName(folder);
  const inside = new Map([...holds].filter(([key]) => (pathInside(workspace, key) ?? '') !== ''));
  return (path) => {
    const known = pathInside(folder, path) === undefined ? holds : inside;
    // A search calls this function for each file that it finds. In most workspaces there are no keys to look for, so
    // the function returns early.
    if (known.size === 0) return undefined;
    const key = foldersAbove(foldName(path)).find((each) => known.has(each));
    return key === undefined ? undefined : `${showName(basename(key))} contains ${known.get(key)}`;
  };
}

function foldersAbove(path: string): readonly string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [path, ...foldersAbove(parent)];
}

function realFolder(given: string): string {
  try {
    const folder = realpathSync.native(given);
    if (statSync(folder).isDirectory()) return folder;
  } catch (cause) {
    if (codeOf(cause) === undefined) throw cause;
    throw new WorkspaceError('workspace/no-folder', noFolder(given), { folder: given }, cause);
  }
  throw new WorkspaceError('workspace/no-folder', noFolder(given), { folder: given });
}

function noFolder(given: string): string {
  return `the workspace ${showName(given)} is not a folder that can be opened: use an existing folder`;
}

// The code below lists names that file tools refuse anywhere in a path: the folder of version control, and files that
// contain keys.

/** Names that are refused in any folder. The value describes the content of the file or folder. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ...KEY_NAMES,
  ['.git', 'the data of version control'],
  ['.htpasswd', 'credentials of a web server'],
  ['id_rsa', 'a private key'],
  ['id_dsa', 'a private key'],
  ['id_ecdsa', 'a private key'],
  ['id_ed25519', 'a private key'],
]);

/**
 * Matches `.env` and `.env.local`. Does not match `.env.test`, and does not match samples for readers, such as
 * `.env.local.example`.
 */
const ENVIRONMENT = /^\.env(\.(?!((.*\.)?(example|sample|template|dist|defaults)|test)$).*)?$/;

/**
 * Returns the reason why a file or folder with this name is refused, or `undefined`. A file system may treat other
 * spellings as the same name, such as `.g\u200Cit` and `.ſsh`. They match too.
 */
export function forbiddenName(name: string): string | undefined {
  const plain = foldName(name);
  if (ENVIRONMENT.test(plain)) return 'settings that may contain keys';
  return NAMES.get(plain);
}

// Many repositories have an `.npmrc` with project settings. Some of these files also contain a login. Therefore an
// `.npmrc` in a project is refused only if it contains a login.

/** Matches a login in plain text. Does not match a reference to a variable, as in `_authToken=${NPM_TOKEN}`. */
const LOGIN =
  /(?:(?:^|[:\s"'])_(?:auth|authtoken|password)|^[ \t]{0,64}(?:\S{1,256}:)?(?:key|password|otp))["']?(?:\[\])?[ \t]{0,64}=[ \t]{0,64}(?!["']?\$\{\w+\??\}["']?[ \t]{0,64}\r?$)[^\s]|:\/\/[^\s/:@]{0,256}:[^\s/@]{1,256}@|npm_[A-Za-z0-9]{36}|-----BEGIN /im;

/** Maximum size of an `.npmrc` that is read, in bytes. */
const LARGEST = 65_536;

/** Returns true for a path that ends in `.npmrc`, in any spelling that a file system treats as this name. */
function isNpmSettings(path: string): boolean {
  return foldName(basename(path)) === '.npmrc';
}

/**
 * Returns true for an `.npmrc` with a login. Also returns true for an `.npmrc` that cannot be read as a file of at most
 * 64 KiB. Returns false for a folder, and for a path that does not exist.
 */
function holdsNpmLogin(path: string): boolean {
  if (!isNpmSettings(path)) return false;
  try {
    return LOGIN.test(readRegularFileSync(path, { most: LARGEST }).toString('utf8'));
  } catch (error) {
    if (error instanceof FileError) return error.kind !== 'a folder';
    return codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR';
  }
}
