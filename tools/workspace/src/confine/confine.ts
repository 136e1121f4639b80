// Where the file tools may go: a path is taken from the workspace on, every symlink in it is followed, and the real path
// decides. Credentials, version control's own store and the log are refused wherever they lie.

import type { ToolProblem } from '@tidemark/agent';
import { foldName } from '@tidemark/agent';
import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, resolve, sep } from 'node:path';
import { WorkspaceError } from '../workspace-error.ts';
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

/** The bounds of one workspace. */
export interface Confinement {
  /** The workspace, absolute, its symlinks followed. */
  readonly folder: string;
  /** The place that a path leads to, inside or outside; a problem when no file tool may go there. Changes nothing. */
  place(path: string): Promise<WorkspacePlace | ToolProblem>;
  /** As `place`, and outside the workspace is a problem too. */
  placeInside(path: string): Promise<WorkspacePlace | ToolProblem>;
  /** Why this absolute path is refused, by its names, or by a login in an `.npmrc`; `undefined` when it is not. For what a search comes upon. */
  refusal(path: string): string | undefined;
}

/** A path that may be looked at. */
export interface WorkspacePlace {
  /** Absolute, every symlink followed. */
  readonly path: string;
  /** From the workspace on where it lies inside, else absolute; one line. */
  readonly shown: string;
  readonly inside: boolean;
  /** Why a write of it is asked about, also inside the workspace and in mode `auto`. Absent: it is not. */
  readonly asks?: string;
}

/** What to keep out of, beside the names that are forbidden below. Key files are looked for in `home` and `environment`. */
export interface ConfinementOptions extends Omit<StartOptions, 'workspace'> {
  readonly folder: string;
  /** Absolute paths of files or folders, the home of the log first of all. They need not exist. */
  readonly forbidden?: readonly string[];
  /** Absolute paths of files that a trusted setting starts: a write of one is asked about. They need not exist. */
  readonly protectedPaths?: readonly string[];
}

/** @throws WorkspaceError `workspace/no-folder`. */
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
    if (why !== undefined) return { problem: `${found.shown} is refused: ${why}. Go on without it, or ask the user.` };
    const asks = reasonToAsk([...new Set([named, found.path])], folder, asked);
    return asks === undefined ? found : { ...found, asks };
  };
  return {
    folder,
    refusal,
    place,
    async placeInside(path) {
      const found = await place(path);
      if ('problem' in found || found.inside) return found;
      return {
        problem: `${found.shown} lies outside the workspace ${showName(folder)}: file tools read only inside it. Ask the user to bring it in.`,
      };
    },
  };
}

function unusablePath(path: string): string | undefined {
  if (path === '') return 'path: it is empty. Name a file, or `.` for the workspace.';
  if (path.includes('\0')) return 'path: it holds a NUL character, which no file name does.';
  // A shell would put the home folder here; taken as it stands it would make a folder called ~.
  if (path === '~' || path.startsWith('~/'))
    return 'path: `~` is not expanded. Give it from the workspace on, or absolute.';
  return undefined;
}

/** Links may lead elsewhere since the last call: they are followed for each. */
function reasonToAsk(
  paths: readonly string[],
  workspace: string,
  { protectedPaths = [], home, environment }: Omit<ConfinementOptions, 'folder' | 'forbidden'>,
): string | undefined {
  const started = protectedPaths.map((path) => resolveLinksNow(path));
  if (paths.some((path) => started.some((one) => pathInside(one, path) !== undefined)))
    return 'a trusted setting starts it';
  if (paths.some((path) => isNpmSettings(path))) return 'npm takes programs to start from it';
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

/** The folders above the workspace are the user's choice; below it, and elsewhere, every name counts. */
function refusalOf(path: string, folder: string, kept: readonly string[]): string | undefined {
  if (kept.some((home) => pathInside(home, path) !== undefined)) return 'it belongs to the log of the sessions';
  // The environment and the memory of processes, this one's with its keys, where the workspace is as wide as `/`.
  if (pathInside('/proc', path) !== undefined) return 'it shows what processes hold';
  const names = (pathInside(folder, path) ?? path).split(sep);
  for (const name of names) {
    const why = forbiddenName(name);
    if (why !== undefined) return `${showName(name)} holds ${why}`;
  }
  return holdsNpmLogin(path) ? `${showName(basename(path))} holds credentials of a package registry` : undefined;
}

/**
 * Returns a function that tells why a path is refused as a key file of the home, or one that a variable names. A folder of keys
 * that holds the workspace is the user's choice: what lies in the workspace is not refused.
 */
function keysBeyond(folder: string, { home, environment }: KeyOptions): (path: string) => string | undefined {
  const homes = home === undefined ? [] : [home, resolveLinksNow(home)];
  const holds = new Map<string, string>();
  for (const place of keyPlaces({ home, environment }))
    for (const path of [place.path, resolveLinksNow(place.path)])
      // A link to the home would refuse everything.
      if (homes.every((each) => pathInside(path, each) === undefined)) holds.set(foldName(path), place.holds);
  const workspace = foldName(folder);
  const inside = new Map([...holds].filter(([key]) => (pathInside(workspace, key) ?? '') !== ''));
  return (path) => {
    const known = pathInside(folder, path) === undefined ? holds : inside;
    // A search asks for each file that it finds, and most workspaces hold no key files of the home.
    if (known.size === 0) return undefined;
    const key = foldersAbove(foldName(path)).find((each) => known.has(each));
    return key === undefined ? undefined : `${showName(basename(key))} holds ${known.get(key)}`;
  };
}

/** The path itself first, then each folder above it. */
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
  return `the workspace ${showName(given)} is no folder that can be opened: name one that exists`;
}

// Names that no file tool touches, anywhere in a path: the store of version control, and files that hold keys.

/** In any folder: the key files of a home, and names of keys elsewhere. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ...KEY_NAMES,
  ['.git', 'the store of version control'],
  ['.htpasswd', 'credentials of a web server'],
  ['id_rsa', 'a private key'],
  ['id_dsa', 'a private key'],
  ['id_ecdsa', 'a private key'],
  ['id_ed25519', 'a private key'],
]);

/** `.env` and `.env.local`, but not `.env.test` and the samples that are made to be read, such as `.env.local.example`. */
const ENVIRONMENT = /^\.env(\.(?!((.*\.)?(example|sample|template|dist|defaults)|test)$).*)?$/;

/** Why a file or folder of this name is refused; `undefined` when it is not. Any spelling that a file system takes for it counts: `.g\u200Cit`, `.ſsh`. */
export function forbiddenName(name: string): string | undefined {
  const plain = foldName(name);
  if (ENVIRONMENT.test(plain)) return 'settings that may hold keys';
  return NAMES.get(plain);
}

// The `.npmrc` of a project is a file of settings that many repositories have, and that sometimes holds a login.

/** A login that is written out. A reference to a variable, as in `_authToken=${NPM_TOKEN}`, is none. */
const LOGIN =
  /(?:(?:^|[:\s"'])_(?:auth|authtoken|password)|^[ \t]{0,64}(?:\S{1,256}:)?(?:key|password|otp))["']?(?:\[\])?[ \t]{0,64}=[ \t]{0,64}(?!["']?\$\{\w+\??\}["']?[ \t]{0,64}\r?$)[^\s]|:\/\/[^\s/:@]{0,256}:[^\s/@]{1,256}@|npm_[A-Za-z0-9]{36}|-----BEGIN /im;

/** Largest file that is read, in bytes. */
const LARGEST = 65_536;

/** Returns true for a path that ends in `.npmrc`, in any spelling that a file system takes for it. */
function isNpmSettings(path: string): boolean {
  return foldName(basename(path)) === '.npmrc';
}

/** Returns true where an `.npmrc` at this path holds a login, or cannot be read as a file of 64 KiB or less. One that does not exist holds none. */
function holdsNpmLogin(path: string): boolean {
  if (!isNpmSettings(path)) return false;
  try {
    return LOGIN.test(readRegularFileSync(path, { most: LARGEST }).toString('utf8'));
  } catch (error) {
    if (error instanceof FileError) return error.kind !== 'a folder';
    return codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR';
  }
}
