// Files that run, or name what runs, without anybody starting them: at the start of a shell, at login, with git, or as a
// program of `PATH`. What an agent writes there acts outside of every question and sandbox later.

import { foldName } from '@tidemark/agent';
import { existsSync, lstatSync } from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join, sep } from 'node:path';
import { pathInside } from './path-inside.ts';
import { resolveLinksNow } from './resolve-links.ts';

/** Where start files are looked for. */
export interface StartOptions {
  /** Absolute, symlinks followed. */
  readonly workspace: string;
  /** The home of the user, absolute. */
  readonly home?: string | undefined;
  /** Read are `PATH`, `XDG_CONFIG_HOME`, `BASH_ENV`, `ENV` and `GIT_CONFIG_GLOBAL`; relative paths in them are left out. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
}

const SHELL = 'a shell runs it at its start';
const LOGIN = 'it is read or started at login';
const TIMER = 'the system starts it at set times';
const GIT = 'git takes commands from it';
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

/** Each name with the reason, as it stands in a home. A folder counts with all below it. */
const HOME_NAMES: ReadonlyMap<string, string> = new Map([
  ...reasons(SHELL, SHELL_NAMES),
  ...reasons(LOGIN, LOGIN_NAMES),
  ...reasons(GIT, ['.gitconfig .config/git']),
  ...reasons(PROGRAM, ['.local/bin']),
]);

/** Of the machine: for a workspace as wide as `/`. */
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
 * Why a write of this absolute path is asked about, as words that follow the path: `a shell runs it at its start`.
 * `undefined` when it need not be. The names of a home count in every folder; the environment and links of the home and
 * of the workspace's own folder are followed now.
 */
export function startReason(path: string, options: StartOptions): string | undefined {
  return (
    reasonByName(path) ?? startPlaces(options).find((place) => covers(place.path, path, options.workspace))?.reason
  );
}

/** Also a file that is not there yet: the names say enough. */
function reasonByName(path: string): string | undefined {
  const parts = path.split(sep).map(foldName);
  const isAt = (names: readonly string[], at: number): boolean => names.every((name, i) => parts[at + i] === name);
  return FOLDED.find(([names]) => parts.some((_, at) => isAt(names, at)))?.[1];
}

/** A folder of `PATH` that is the workspace itself counts alone: else every write would be asked about. */
function covers(place: string, path: string, workspace: string): boolean {
  return place === workspace ? dirname(path) === place : pathInside(place, path) !== undefined;
}

/**
 * The real paths of the start files and folders that exist in the workspace, for a sandbox to keep as they are: those of
 * its own folder, those of the home also where only a link leads into the workspace, and the folders of `PATH`. The
 * workspace itself is never one of them.
 */
export function startPaths(options: StartOptions): readonly string[] {
  const paths = startPlaces(options).map(({ path }) => path);
  return [...new Set(paths)].filter((path) => path !== options.workspace && existsSync(path));
}

/** The names of the same, links not followed. What is not there is among them where a variable or the system names it. */
export function startNames(options: StartOptions): readonly string[] {
  return namedPlaces(options).map(({ path }) => path);
}

interface StartPlace {
  readonly path: string;
  readonly reason: string;
}

/** What lies in the workspace, links followed. */
function startPlaces(options: StartOptions): readonly StartPlace[] {
  return namedPlaces(options)
    .map(({ path, reason }) => ({ path: resolveLinksNow(path), reason }))
    .filter(({ path }) => pathInside(options.workspace, path) !== undefined);
}

function namedPlaces({ workspace, home, environment = {} }: StartOptions): readonly StartPlace[] {
  const inFolders = [workspace, ...(home === undefined ? [] : [home])].flatMap((folder) => present(folder, HOME_NAMES));
  return [...inFolders, ...present(sep, SYSTEM_NAMES), ...namedBy(environment)];
}

/** What is not there has no link to follow, and is found by its name. */
function present(folder: string, names: ReadonlyMap<string, string>): readonly StartPlace[] {
  const places = [...names].map(([name, reason]) => ({ path: join(folder, name), reason }));
  return places.filter(({ path }) => folder === sep || isThere(path));
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // A part of the path is a file, or closed to this user.
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

/** npm puts `node_modules/.bin` on `PATH` while it runs a script. Its entries lead into packages, which are no start files. */
function isOfPackages(path: string): boolean {
  return basename(path) === '.bin' && basename(dirname(path)) === 'node_modules';
}
