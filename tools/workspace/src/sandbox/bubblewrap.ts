// The mounts and namespaces of the sandbox, as arguments of `bwrap`: a command sees the machine read-only, the workspace
// writable with exceptions, a `/tmp` and a `/run` of its own, and no keys. All its processes end with it.

import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { codeOf } from '../confine/file-problem.ts';
import { pathInside } from '../confine/path-inside.ts';
import type { Hidden } from './hidden-paths.ts';
import type { ReadOnlyPaths } from './read-only-paths.ts';

/** The machine as a sandboxed command sees it. */
export interface SandboxMounts extends Partial<Pick<ReadOnlyPaths, 'readOnly'>> {
  /** Folders of the workspace that are mounts of their own, so that none can be moved away with what it holds. */
  readonly pinned?: readonly string[];
  /** The writable folder. Real and absolute. */
  readonly workspace: string;
  /** What may not be seen, inside the workspace too. */
  readonly hidden: readonly Hidden[];
  /** `none`: a network of its own, in which only this command is. `shared`: the network of the process that starts `bwrap`. */
  readonly network: 'none' | 'shared';
}

/** Settings of the kernel. Bubblewrap makes them read-only for others and leaves them writable for root (0.8 to 0.11). */
const KERNEL = ['sys', 'sysrq-trigger', 'irq', 'bus', 'fs', 'acpi', 'scsi'].map((name) => `/proc/${name}`);

/** Programs and libraries that some systems keep under `/run`. */
const RUN_KEPT = ['/run/current-system', '/run/opengl-driver'];

/** Where programs keep what they fetched: the home is read-only. Gone when the command ends. */
const CACHES: Readonly<Record<string, string>> = {
  TMPDIR: '/tmp',
  XDG_CACHE_HOME: '/tmp/cache',
  npm_config_cache: '/tmp/cache/npm',
};

/** The arguments of `bwrap` before the command. Later ones lie over earlier ones. */
export function bubblewrapArguments(mounts: SandboxMounts): readonly string[] {
  const { workspace, readOnly = [], pinned = [], hidden, network } = mounts;
  const around = hidden.filter(({ path }) => pathInside(path, workspace) !== undefined);
  const other = hidden.filter(({ path }) => pathInside(path, workspace) === undefined);
  return [
    ['--die-with-parent', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--cap-drop', 'ALL'],
    network === 'none' ? ['--unshare-net'] : [],
    ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    ...[...KERNEL, '/sys'].map((path) => ['--ro-bind-try', path, path]),
    ['--tmpfs', '/tmp', '--tmpfs', '/run'],
    ...[...RUN_KEPT, ...resolverFiles(), ...ownNode()].map((path) => ['--ro-bind-try', path, path]),
    // What holds the workspace is covered below it, all else above it: the workspace may be the home itself.
    ...around.map(cover),
    ['--bind', workspace, workspace],
    // A mount cannot be moved away and put back as another one, nor written through a hard link.
    ...pinned.map((path) => ['--bind-try', path, path]),
    ...readOnly.map((path) => ['--ro-bind-try', path, path]),
    ...other.map(cover),
    ...Object.entries(CACHES).map(([name, value]) => ['--setenv', name, value]),
    ['--chdir', workspace, '--'],
  ].flat();
}

function cover({ path, as }: Hidden): readonly string[] {
  return as === 'folder' ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path];
}

/** The Node that runs this program, where it lies in a folder that is covered: a clone may be under `/tmp`. */
function ownNode(): readonly string[] {
  const path = process.execPath;
  return ['/tmp', '/run'].some((folder) => pathInside(folder, path) !== undefined) ? [path] : [];
}

/** The file that names the servers of a name lookup often lies under `/run`. */
function resolverFiles(): readonly string[] {
  try {
    const path = realpathSync.native('/etc/resolv.conf');
    return pathInside('/run', path) === undefined ? [] : [path];
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return [];
  }
}

/** Where `bwrap` is looked for. Not along `PATH`: an entry of that may be a folder that the agent writes. */
const PLACES = ['/usr/bin', '/bin', '/usr/local/bin', '/run/current-system/sw/bin'];

/** The path of a program of the system; `undefined` where it is not installed. */
export function systemProgram(name: string, places: readonly string[] = PLACES): string | undefined {
  return places.map((place) => `${place}/${name}`).find((path) => existsSync(path));
}

/** The path of a `bwrap` that works here; `undefined` where there is none, or the system lets it make no namespaces. */
export function findBubblewrap(workspace: string, places?: readonly string[]): string | undefined {
  const found = process.platform === 'linux' ? systemProgram('bwrap', places) : undefined;
  if (found === undefined) return undefined;
  const argv = [...bubblewrapArguments({ workspace, hidden: [], network: 'none' }), '/bin/sh', '-c', ':'];
  return spawnSync(found, argv, { stdio: 'ignore', timeout: 5_000 }).status === 0 ? found : undefined;
}

/** Whether commands are held by a sandbox here. */
export type SandboxState = 'works' | 'blocked' | 'missing' | 'not-here';

/** `blocked`: it is installed, and may make no namespaces. `not-here`: it is for Linux alone. Starts it once. */
export function sandboxState(workspace: string, places?: readonly string[]): SandboxState {
  if (process.platform !== 'linux') return 'not-here';
  if (systemProgram('bwrap', places) === undefined) return 'missing';
  return findBubblewrap(workspace, places) === undefined ? 'blocked' : 'works';
}
