// Bubblewrap arguments: the mounts and namespaces of the sandbox. A command sees the machine read-only and the
// workspace writable, with exceptions. It has its own `/tmp` and `/run`, and sees no keys. When the sandbox ends, all
// its processes end.

import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { codeOf } from '../confine/file-problem.ts';
import { pathInside } from '../confine/path-inside.ts';
import type { Hidden } from './hidden-paths.ts';
import type { ReadOnlyPaths } from './read-only-paths.ts';

/**
 * Access of a sandboxed command: the paths that it can write, that it can only read, and that it cannot see, and its
 * network.
 */
export interface SandboxMounts extends Partial<Pick<ReadOnlyPaths, 'readOnly'>> {
  /**
   * Folders of the workspace that are mounted separately. A command cannot move a mount to another place and replace
   * it.
   */
  readonly pinned?: readonly string[];
  /** Real and absolute path of the writable folder. */
  readonly workspace: string;
  /** Paths that a command must not see, even inside the workspace. */
  readonly hidden: readonly Hidden[];
  /**
   * With `none`, the command has its own network namespace and cannot reach any other network. With `shared`, it uses
   * the network of the process that starts `bwrap`.
   */
  readonly network: 'none' | 'shared';
  /** Folder that the command sees as `/tmp`. By default, its `/tmp` is empty and is lost when the command ends. */
  readonly temp?: string;
}

/**
 * Kernel settings to mount read-only. Bubblewrap 0.8 to 0.11 makes them read-only for ordinary users. For root, they
 * remain writable.
 */
const KERNEL = ['sys', 'sysrq-trigger', 'irq', 'bus', 'fs', 'acpi', 'scsi'].map((name) => `/proc/${name}`);

/** Folders with programs and libraries on some systems. They are mounted again, because the sandbox covers `/run`. */
const RUN_KEPT = ['/run/current-system', '/run/opengl-driver'];

/**
 * Variables that move the caches of programs to `/tmp`, because the home is read-only. The caches are lost when the
 * session is closed.
 */
const CACHES: Readonly<Record<string, string>> = {
  TMPDIR: '/tmp',
  XDG_CACHE_HOME: '/tmp/cache',
  npm_config_cache: '/tmp/cache/npm',
};

/**
 * Returns the arguments of `bwrap` that are placed before the command. Their order matters, because a later mount
 * covers an earlier mount.
 */
export function bubblewrapArguments(mounts: SandboxMounts): readonly string[] {
  const { workspace, readOnly = [], pinned = [], hidden, network, temp } = mounts;
  const around = hidden.filter(({ path }) => pathInside(path, workspace) !== undefined);
  // Nothing is mounted below a shared `/tmp`, because a command could have put a link there. The folder covers what the
  // machine has there.
  const isCovered = (path: string): boolean => temp !== undefined && pathInside('/tmp', path) !== undefined;
  const other = hidden.filter(({ path }) => pathInside(path, workspace) === undefined && !isCovered(path));
  return [
    // `--die-with-parent` is not set. It would end the programs that a command left running before they can be reported.
    // The guard of the command ends the sandbox.
    ['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--cap-drop', 'ALL'],
    network === 'none' ? ['--unshare-net'] : [],
    ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    ...[...KERNEL, '/sys'].map((path) => ['--ro-bind-try', path, path]),
    temp === undefined ? ['--tmpfs', '/tmp'] : ['--bind', temp, '/tmp'],
    ['--tmpfs', '/run'],
    ...[...RUN_KEPT, ...resolverFiles(), ...ownNode()].map((path) => ['--ro-bind-try', path, path]),
    // If a hidden folder contains the workspace, it is covered before the workspace is mounted. The workspace therefore
    // remains visible. All other hidden paths are covered after the workspace is mounted, because the workspace may be
    // the home itself.
    ...around.map(cover),
    ['--bind', workspace, workspace],
    // Each of these paths is a separate mount. A command cannot move a mount to another place and replace it. It also
    // cannot create a hard link from one mount to another.
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

/**
 * Returns the path of the running Node executable if the sandbox covers its folder (`/tmp` or `/run`). The executable
 * is then mounted again. This happens for a clone of the project under `/tmp`.
 */
function ownNode(): readonly string[] {
  const path = process.execPath;
  return ['/tmp', '/run'].some((folder) => pathInside(folder, path) !== undefined) ? [path] : [];
}

/**
 * Returns the real path of `/etc/resolv.conf` if it is under `/run`. The sandbox covers `/run`, so the file is then
 * mounted again.
 */
function resolverFiles(): readonly string[] {
  try {
    const path = realpathSync.native('/etc/resolv.conf');
    return pathInside('/run', path) === undefined ? [] : [path];
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return [];
  }
}

/**
 * Folders in which `bwrap` and other system programs are searched for. `PATH` is not used, because the agent may be
 * able to write to a folder in `PATH`.
 */
const PLACES = ['/usr/bin', '/bin', '/usr/local/bin', '/run/current-system/sw/bin'];

/** Returns the path of a system program. If the program is not installed, returns `undefined`. */
export function systemProgram(name: string, places: readonly string[] = PLACES): string | undefined {
  return places.map((place) => `${place}/${name}`).find((path) => existsSync(path));
}

// Programs that this process has already started successfully. A start blocks the process for 10 to 20 ms, and a host
// may open many agents.
const working = new Set<string>();

/**
 * Returns the path of a `bwrap` that works on this machine. If `bwrap` is missing or the system does not allow it to
 * create namespaces, returns `undefined`. If a `bwrap` has worked before, this process does not start it again. The
 * exception is a folder that does not exist.
 */
export function findBubblewrap(workspace: string, places?: readonly string[]): string | undefined {
  const found = process.platform === 'linux' ? systemProgram('bwrap', places) : undefined;
  if (found === undefined || (working.has(found) && existsSync(workspace))) return found;
  const argv = [...bubblewrapArguments({ workspace, hidden: [], network: 'none' }), '/bin/sh', '-c', ':'];
  if (spawnSync(found, argv, { stdio: 'ignore', timeout: 5_000 }).status !== 0) return undefined;
  working.add(found);
  return found;
}

/**
 * State of the sandbox on this machine.
 *
 * - `works`: commands run in it.
 * - `blocked`: bubblewrap is installed but may not create namespaces.
 * - `missing`: bubblewrap is not installed.
 * - `not-here`: the system is not Linux.
 */
export type SandboxState = 'works' | 'blocked' | 'missing' | 'not-here';

/** Returns the state of the sandbox. If bubblewrap is installed and has not worked before, starts it as a test. */
export function sandboxState(workspace: string, places?: readonly string[]): SandboxState {
  if (process.platform !== 'linux') return 'not-here';
  if (systemProgram('bwrap', places) === undefined) return 'missing';
  return findBubblewrap(workspace, places) === undefined ? 'blocked' : 'works';
}
