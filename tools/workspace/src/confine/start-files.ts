// Start files: files that run without a person starting them, or that contain commands which run in this way. They run
// at the start of a shell, at login, with git, or as a program in `PATH`. If an agent writes text into such a file, the
// text takes effect later, outside the sandbox and without a permission request.

import { foldName } from '@tidemark/agent';
import { existsSync, lstatSync } from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join, sep } from 'node:path';
import { pathInside } from './path-inside.ts';
import { resolveLinksNow } from './resolve-links.ts';

/** Places where start files are searched for. */
export interface StartOptions {
  /** Absolute path of the workspace, with its symlinks followed. */
  readonly workspace: string;
  /** Absolute path of the user's home folder. */
  readonly home?: string | undefined;
  /**
   * Environment variables. Only `PATH`, `XDG_CONFIG_HOME`, `BASH_ENV`, `ENV` and `GIT_CONFIG_GLOBAL` are read. Relative
   * paths in them are ignored.
   */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
}

const SHELL = 'a shell runs it at its start';
const LOGIN = 'it is read or started at login';
const TIMER = 'the system starts it at set times';
const GIT = 'git reads commands from it';
const PROGRAM = 'programs are started from its folder';

const SHELL_NAMES = [
  '.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .inputrc .config/fish',
  '.zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .mkshrc .cshrc .tcshrc .login .logout',
];
const LOGIN_NAMES = [
  '.xprofile .xinitrc .xsession .xsessionrc .xserverrc .pam_environment .config/environment.d',
  '.config/autostart .config/autostart-scripts .config/plasma-workspace/env',
  '.config/systemd/user .local/share/systemd/user Library/LaunchAgents Library/LaunchDaemons',
];

/**
 * Start files and folders, as paths relative to a home, each with the reason to ask the user. A folder includes
 * everything below it.
 */
const HOME_NAMES: ReadonlyMap<string, string> = new Map([
  ...reasons(SHELL, SHELL_NAMES),
  ...reasons(LOGIN, LOGIN_NAMES),
  ...reasons(GIT, ['.gitconfig .config/git']),
  ...reasons(PROGRAM, ['.local/bin']),
]);

/** Start files of the system. They matter only if the workspace contains system folders, for example if it is `/`. */
const SYSTEM_NAMES: ReadonlyMap<string, string> = new Map([
  ...reasons(SHELL, ['/etc/profile /etc/profile.d /etc/bash.bashrc /etc/bashrc /etc/zsh /etc/zshenv /etc/zshrc']),
  ...reasons(LOGIN, ['/etc/environment /etc/xdg/autostart /etc/systemd /etc/init.d /etc/rc.local /etc/pam.d']),
  ...reasons(TIMER, ['/etc/crontab /etc/cron.d /etc/cron.hourly /etc/cron.daily /etc/cron.weekly /etc/cron.monthly']),
  ...reasons(TIMER, ['/var/spool/cron /usr/lib/cron/tabs']),
  ...reasons(GIT, ['/etc/gitconfig']),
]);

function reasons(reason: string, lines: readonly string[]): readonly (readonly [string, string])[] {
  return lines.flatMap((line) => line.split(' ')).map((name) => [name, reason]);
}

const FOLDED: readonly (readonly [names: readonly string[], reason: string])[] = [...HOME_NAMES].map(
  ([name, reason]) => [name.split('/').map(foldName), reason],
);

/**
 * Returns the reason why a write to this absolute path needs the user's consent. The reason is the end of a sentence
 * that begins with the path: `a shell runs it at its start`. If no consent is needed, returns `undefined`. A file with
 * the name of a home's start file counts in every folder. Variables and symlinks are evaluated at every call.
 */
export function startReason(path: string, options: StartOptions): string | undefined {
  return (
    reasonByName(path) ?? startPlaces(options).find((place) => covers(place.path, path, options.workspace))?.reason
  );
}

function reasonByName(path: string): string | undefined {
  const parts = path.split(sep).map(foldName);
  const isAt = (names: readonly string[], at: number): boolean => names.every((name, i) => parts[at + i] === name);
  return FOLDED.find(([names]) => parts.some((_, at) => isAt(names, at)))?.[1];
}

/**
 * Returns true if the path is a start file or is below a folder of start files. If the workspace itself is in `PATH`,
 * only the files directly in it count. Otherwise the user would be asked for every write in the workspace.
 */
function covers(place: string, path: string, workspace: string): boolean {
  return place === workspace ? dirname(path) === place : pathInside(place, path) !== undefined;
}

/**
 * Returns the real paths of the existing start files and folders in the workspace. A sandbox protects these paths. If a
 * link leads into the workspace, start files of the home are included. The folders of `PATH` are included too. The
 * workspace itself is never included.
 */
export function startPaths(options: StartOptions): readonly string[] {
  const paths = startPlaces(options).map(({ path }) => path);
  return [...new Set(paths)].filter((path) => path !== options.workspace && existsSync(path));
}

/**
 * Returns the paths of the start files and folders, without following links. If a path is missing, it is included only
 * if it comes from a variable or is a start file of the system.
 */
export function startNames(options: StartOptions): readonly string[] {
  return namedPlaces(options).map(({ path }) => path);
}

interface StartPlace {
  readonly path: string;
  readonly reason: string;
}

function startPlaces(options: StartOptions): readonly StartPlace[] {
  return namedPlaces(options)
    .map(({ path, reason }) => ({ path: resolveLinksNow(path), reason }))
    .filter(({ path }) => pathInside(options.workspace, path) !== undefined);
}

function namedPlaces({ workspace, home, environment = {} }: StartOptions): readonly StartPlace[] {
  const inFolders = [workspace, ...(home === undefined ? [] : [home])].flatMap((folder) => present(folder, HOME_NAMES));
  return [...inFolders, ...present(sep, SYSTEM_NAMES), ...namedBy(environment)];
}

/**
 * Returns the start files and folders that exist in a folder. Missing files are not listed: they cannot be links, and
 * `reasonByName` recognizes their names. In the root folder `/`, the start files of the system are included even if
 * they are missing.
 */
function present(folder: string, names: ReadonlyMap<string, string>): readonly StartPlace[] {
  const places = [...names].map(([name, reason]) => ({ path: join(folder, name), reason }));
  return places.filter(({ path }) => folder === sep || isThere(path));
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // A part of the path is a file, or the user has no access to it.
    return false;
  }
}

function namedBy(environment: Readonly<Record<string, string | undefined>>): readonly StartPlace[] {
  const configuration = environment['XDG_CONFIG_HOME'] ?? '';
  const below = [...HOME_NAMES].flatMap(([name, reason]) =>
    name.startsWith('.config/') ? [{ path: join(configuration, name.slice('.config/'.length)), reason }] : [],
  );
  const single = [
    { path: environment['BASH_ENV'] ?? '', reason: SHELL },
    { path: environment['ENV'] ?? '', reason: SHELL },
    { path: environment['GIT_CONFIG_GLOBAL'] ?? '', reason: GIT },
  ];
  const programs = (environment['PATH'] ?? '').split(delimiter).filter((path) => !isOfPackages(path));
  return [...below, ...single, ...programs.map((path) => ({ path, reason: PROGRAM }))].filter(({ path }) =>
    isAbsolute(path),
  );
}

/**
 * Returns true for `node_modules/.bin`, which npm adds to `PATH` while it runs a script. Its entries are links to
 * packages, and packages are not start files.
 */
function isOfPackages(path: string): boolean {
  return basename(path) === '.bin' && basename(dirname(path)) === 'node_modules';
}
