// The sandbox: a command sees the machine read-only, the workspace writable but for what acts outside later, a `/tmp` of its
// own, and none of the home's keys. The network is as it is. What runs in it ends with it, whatever it does to get away.

import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { pathInside } from '../confine/path-inside.ts';

/** What the sandbox is told of the machine. */
export interface Confines {
  /** The writable folder, symlinks followed. */
  readonly workspace: string;
  /** What in it may be seen and not changed: real paths of what is there. */
  readonly kept?: readonly string[];
  /** What may not be seen, with what stands there. Inside the workspace too. */
  readonly hidden: readonly Hidden[];
}

/** One path that is covered: a folder by an empty one, a file by nothing. */
export interface Hidden {
  readonly path: string;
  readonly as: 'folder' | 'file';
}

/** The arguments of `bwrap` before the command. Later ones lie over earlier ones. */
export function bubblewrapArguments({ workspace, kept = [], hidden }: Confines): readonly string[] {
  const around = hidden.filter(({ path }) => pathInside(path, workspace) !== undefined);
  const other = hidden.filter(({ path }) => pathInside(path, workspace) === undefined);
  return [
    ['--die-with-parent', '--unshare-pid', '--unshare-ipc', '--cap-drop', 'ALL'],
    ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp'],
    // What holds the workspace is covered below it, all else above it: the workspace may be the home itself.
    ...around.map(cover),
    ['--bind', workspace, workspace],
    // A mount of its own cannot be moved away and put back as another one, nor written through a hard link.
    ...kept.map((path) => ['--ro-bind', path, path]),
    ...other.map(cover),
    ['--setenv', 'TMPDIR', '/tmp', '--chdir', workspace, '--'],
  ].flat();
}

function cover({ path, as }: Hidden): readonly string[] {
  return as === 'folder' ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path];
}

const HOME_SECRETS = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.docker',
  '.config/gcloud',
  '.config/gh',
  '.config/hub',
  '.config/git/credentials',
  '.netrc',
  '.npmrc',
  '.yarnrc.yml',
  '.pypirc',
  '.pgpass',
  '.my.cnf',
  '.git-credentials',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.config/op',
  '.password-store',
  '.local/share/keyrings',
  '.mozilla',
  '.config/google-chrome',
  '.config/chromium',
  '.anthropic',
  '.claude',
  '.codex',
  '.bash_history',
  '.zsh_history',
];

/** Sockets through which a command could have others work outside the sandbox: connecting needs no right to write. */
const WAYS_OUT = ['/run/user', '/run/docker.sock', '/run/podman', '/run/containerd', '/run/dbus'];

/** What is to be covered and exists: keys in the home, sockets of services, and the paths named. */
export function hiddenPaths(home: string, also: readonly string[]): readonly Hidden[] {
  const paths = [...HOME_SECRETS.map((name) => join(home, name)), ...WAYS_OUT, ...also];
  return paths.flatMap((path): Hidden[] => {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    // A symlink's target would be covered, and bubblewrap refuses a mount upon the link.
    if (stat === undefined || stat.isSymbolicLink()) return [];
    return [{ path, as: stat.isDirectory() ? 'folder' : 'file' }];
  });
}

/** Where `bwrap` is looked for. Not along `PATH`: an entry of that may be a folder that the agent writes. */
const PLACES = ['/usr/bin/bwrap', '/bin/bwrap', '/usr/local/bin/bwrap', '/run/current-system/sw/bin/bwrap'];

/** The path of a `bwrap` that works here; `undefined` when there is none, or the system lets it make no namespaces. */
export function findBubblewrap(workspace: string, places: readonly string[] = PLACES): string | undefined {
  const found = installedBubblewrap(places);
  if (found === undefined) return undefined;
  const argv = [...bubblewrapArguments({ workspace, hidden: [] }), '/bin/sh', '-c', ':'];
  return spawnSync(found, argv, { stdio: 'ignore', timeout: 5_000 }).status === 0 ? found : undefined;
}

function installedBubblewrap(places: readonly string[]): string | undefined {
  return process.platform === 'linux' ? places.find((path) => existsSync(path)) : undefined;
}

/** Whether commands are held by a sandbox here. */
export type SandboxState = 'works' | 'blocked' | 'missing' | 'not-here';

/** `blocked`: it is installed, and may make no namespaces. `not-here`: it is for Linux alone. Starts it once. */
export function sandboxState(workspace: string, places: readonly string[] = PLACES): SandboxState {
  if (process.platform !== 'linux') return 'not-here';
  if (installedBubblewrap(places) === undefined) return 'missing';
  return findBubblewrap(workspace, places) === undefined ? 'blocked' : 'works';
}
