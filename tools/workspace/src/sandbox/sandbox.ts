// Sandbox: prepares one command and starts it with its mounts and network. When the command has ended, checks which
// protected parts it changed.

import { relative, dirname } from 'node:path';
import { defined } from '@tidemark/core';
import { pathInside } from '../confine/path-inside.ts';
import { resolveLinksNow } from '../confine/resolve-links.ts';
import { showName } from '../confine/show-name.ts';
import type { SandboxMounts } from './bubblewrap.ts';
import { bubblewrapArguments } from './bubblewrap.ts';
import { mountCheck } from './check-mounts.ts';
import type { Repositories, RepositoryFinder } from './find-repositories.ts';
import { createRepositoryFinder } from './find-repositories.ts';
import type { Hidden } from './hidden-paths.ts';
import { hiddenNames, hiddenPaths } from './hidden-paths.ts';
import { identityOf } from './identity.ts';
import type { EnteredNetwork, SessionNetworks } from './network-namespace.ts';
import { createSessionNetworks } from './network-namespace.ts';
import type { OpenPorts } from './open-ports.ts';
import { openPorts } from './open-ports.ts';
import { removeLeftPortFolders } from './port-folders.ts';
import type { ReadOnlyPaths } from './read-only-paths.ts';
import { pinnedFolders, readOnlyPaths } from './read-only-paths.ts';
import type { RememberedLink, RestoredLink } from './restore-links.ts';
import { rememberLinks, restoreLinks } from './restore-links.ts';
import type { SessionTemps } from './session-temps.ts';
import { createSessionTemps, removeLeftTemps } from './session-temps.ts';
import { WorkspaceError } from '../workspace-error.ts';
import { lstatSync } from 'node:fs';
import { codeOf } from '../confine/file-problem.ts';

/** Options of `createSandbox`. */
export interface SandboxOptions {
  /** Path of a `bwrap` that works on this machine, from `findBubblewrap`. */
  readonly bwrap: string;
  /** Path of the shell that checks the mounts before a command runs. If bash is installed, use bash. */
  readonly shell: string;
  /** Real and absolute path of the workspace. */
  readonly workspace: string;
  readonly home: string;
  /** Environment variables. Some of them contain paths of start files and program folders, such as `PATH`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /**
   * Access of commands to repositories. With `writable`, a command can write hooks and settings that later run outside
   * the sandbox.
   */
  readonly repository: 'read-only' | 'writable';
  /** Absolute paths that commands must not see. */
  readonly forbidden: readonly string[];
  /** Absolute paths that commands must not change. */
  readonly protectedPaths: readonly string[];
}

/** Network access of one command. */
export interface CommandReach {
  /** Id of the session. Commands of one session share a network. */
  readonly session: string;
  /** True if the command may use the network of this machine, including its services. */
  readonly network: boolean;
  /** Ports of the session's network to open on this machine while the command runs. */
  readonly ports: readonly number[];
}

/** Sandbox that is prepared for one command. */
export interface EnteredSandbox {
  /** Arguments to put before the command. */
  readonly prefix: readonly string[];
  /**
   * Closes the network of the command, restores the links that it replaced, and returns its changes. The caller must
   * call this function one time, after the command has ended.
   */
  leave(): Promise<SandboxFindings>;
}

/** Changes made by a command that the user should know. */
export interface SandboxFindings {
  /** One sentence per change. */
  readonly changes: readonly string[];
  /** Reason in words why a part of the workspace was not searched. */
  readonly limit?: string;
}

/** A sandbox for the commands of a workspace. The caller calls `enter` before each command, and `leave` after it. */
export interface Sandbox {
  /**
   * Prepares the sandbox for one command.
   *
   * @throws WorkspaceError `workspace/port` when a port cannot be opened. `workspace/file-system` when a repository
   * cannot be reached and therefore cannot be protected.
   */
  enter(reach: CommandReach): Promise<EnteredSandbox>;
  /** Folders that the commands of a session see as `/tmp`. */
  readonly temps: Pick<SessionTemps, 'open' | 'close'>;
}

/** Creates the sandbox of a workspace. Also removes the folders that killed processes left. */
export function createSandbox(options: SandboxOptions): Sandbox {
  removeLeftPortFolders();
  void removeLeftTemps();
  const networks = createSessionNetworks(options.bwrap);
  const temps = createSessionTemps();
  const finder =
    options.repository === 'writable' ? noRepositories : createRepositoryFinder(options.workspace, options.home);
  // Real paths that were hidden from earlier commands. They remain hidden. The reason: the path may have been found
  // through a link, and a command that runs at the same time may remove this link.
  let covered: readonly string[] = [];
  return {
    temps,
    async enter(reach) {
      const before = await finder();
      assertReachable(options.workspace, [...before.stores, ...before.links]);
      const network = await enterNetwork(networks, reach);
      const paths = pathsOf(options, before);
      const hidden = hiddenPaths(options, [...options.forbidden, ...covered]);
      covered = hidden.map(({ path }) => path);
      const links = rememberLinks(paths.links);
      const stores = identitiesOf(before);
      const missing = before.named.filter((path) => !isThere(path));
      return {
        prefix: [
          ...(network.entered?.prefix ?? []),
          ...mountsOf(options, paths, hidden, {
            mode: network.mode,
            ...defined({ temp: sharesTemp(options.workspace) ? temps.folderOf(reach.session) : undefined }),
          }),
        ],
        async leave() {
          await network.close();
          return findings(options.workspace, { links, stores, missing }, await finder());
        },
      };
    },
  };
}

/**
 * Returns true if the commands of a session can share `/tmp`. If a path below `/tmp` is mounted, they cannot: a command
 * could replace a folder on the way to it by a link, and bubblewrap would follow the link for the next command.
 */
function sharesTemp(workspace: string): boolean {
  return [workspace, process.execPath].every((path) => pathInside('/tmp', path) === undefined);
}

/** Maximum number of new repositories that are reported by name. */
const MAX_NAMED = 10;

const noRepositories: RepositoryFinder = async () => ({ stores: [], links: [], named: [] });

interface Network {
  readonly mode: 'none' | 'shared';
  readonly entered?: EnteredNetwork;
  close(): Promise<void>;
}

async function enterNetwork(networks: SessionNetworks, { session, network, ports }: CommandReach): Promise<Network> {
  if (network) return { mode: 'shared', close: async () => undefined };
  const entered = await networks.enter(session);
  if (entered === undefined && ports.length > 0) throw noPorts();
  if (entered === undefined) return { mode: 'none', close: async () => undefined };
  const opened = ports.length === 0 ? undefined : await openOrLeave(ports, entered);
  const close = async (): Promise<void> => {
    await opened?.close();
    entered.leave();
  };
  return { mode: 'shared', entered, close };
}

function noPorts(): WorkspaceError {
  const message = 'no port can be opened: this system does not let commands share a network. Call again without ports.';
  return new WorkspaceError('workspace/port', message);
}

async function openOrLeave(ports: readonly number[], { prefix, leave }: EnteredNetwork): Promise<OpenPorts> {
  try {
    return await openPorts(ports, prefix);
  } catch (error) {
    leave();
    throw error;
  }
}

function pathsOf(options: SandboxOptions, { stores, named }: Repositories): ReadOnlyPaths {
  const also = [...options.protectedPaths, ...named];
  return readOnlyPaths({ ...options, repositories: stores, also, hidden: hiddenNames(options, options.forbidden) });
}

function mountsOf(
  { bwrap, shell, workspace }: SandboxOptions,
  paths: ReadOnlyPaths,
  hidden: readonly Hidden[],
  { mode, temp }: Pick<Network, 'mode'> & Pick<SandboxMounts, 'temp'>,
): readonly string[] {
  // The folders above a hidden path are pinned too. Otherwise a command could move hidden files to a path that is not
  // hidden.
  const pinned = pinnedFolders(workspace, [...paths.readOnly, ...paths.links, ...hidden.map(({ path }) => path)]);
  const { readOnly } = paths;
  const check = mountCheck(shell, {
    workspace,
    writable: ['/tmp', '/run', '/proc', '/dev', workspace, ...pinned, ...hidden.map(({ path }) => path)],
    readOnly: readOnly.filter((path) => !hidden.some((each) => pathInside(each.path, path) !== undefined)),
    same: [...pinned, ...readOnly].filter((path) => !hidden.some((each) => pathInside(each.path, path) !== undefined)),
  });
  return [
    bwrap,
    ...bubblewrapArguments({ workspace, readOnly, pinned, hidden, network: mode, ...defined({ temp }) }),
    ...check,
  ];
}

interface StateBeforeCommand {
  readonly links: readonly RememberedLink[];
  /** Identity of each store, by path. If the identity is different after the command, another store has replaced it. */
  readonly stores: ReadonlyMap<string, string>;
  /**
   * Missing paths that the settings of a repository refer to. The sandbox cannot prevent a command from creating them.
   */
  readonly missing: readonly string[];
}

function isThere(path: string): boolean {
  return identityOf(resolveLinksNow(path)) !== '';
}

function identitiesOf({ stores, links }: Repositories): ReadonlyMap<string, string> {
  return new Map([...stores, ...links].map((path) => [path, identityOf(path)]));
}

function findings(workspace: string, before: StateBeforeCommand, after: Repositories): SandboxFindings {
  const shown = (path: string): string => showName(relative(workspace, path));
  const isFresh = ([path, identity]: readonly [string, string]): boolean =>
    identity !== '' && before.stores.get(path) !== identity;
  const fresh = [...identitiesOf(after)].filter(isFresh);
  const more = fresh.length - MAX_NAMED;
  const restored = restoreLinks(before.links);
  return defined({
    changes: [
      ...fresh
        .slice(0, MAX_NAMED)
        .map(
          ([path]) => `${shown(path)} is new, and git runs commands that the settings and hooks of a repository name`,
        ),
      ...(more > 0 ? [`${more} more repositories are new`] : []),
      ...before.missing
        .filter(isThere)
        .map(
          (path) =>
            `${shown(path)} is new, and the settings of a repository name it: git runs it or follows its settings`,
        ),
      ...restored.map((link) => restoredInWords(link, shown)),
    ],
    limit: after.limit,
  });
}

function restoredInWords({ path, moved, problem }: RestoredLink, shown: (path: string) => string): string {
  const replaced = `${shown(path)} is a link that this command replaced`;
  if (problem !== undefined) return `${replaced}; it could not be put back (${problem}): put it back by hand`;
  return `${replaced}; it was put back${moved === undefined ? '' : `, and the file that replaced it is now ${shown(moved)}`}`;
}

// If a repository cannot be reached, it cannot be mounted read-only. A command that needs this protection must not run.

function assertReachable(workspace: string, paths: readonly string[]): void {
  for (const path of paths) {
    const code = accessProblem(path);
    if (code !== undefined) throw unreachable(workspace, path, code);
  }
}

function accessProblem(path: string): string | undefined {
  try {
    lstatSync(path, { throwIfNoEntry: false });
    return undefined;
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    return code === 'ENOTDIR' ? undefined : code;
  }
}

function unreachable(workspace: string, path: string, code: string): WorkspaceError {
  const [repository, folder] = [path, nearestSeen(path)].map((each) => showName(relative(workspace, each) || '.'));
  const message = [
    `the command did not run: the repository ${repository} cannot be protected, because the folder ${folder} cannot be entered (${code}).`,
    `Ask the user to open ${folder} again, for example with \`chmod u+rwx\`, or to remove it.`,
  ].join(' ');
  return new WorkspaceError('workspace/file-system', message, { path: repository, folder, code });
}

/**
 * Returns the nearest accessible folder above an inaccessible path. The next part of the path cannot be reached, so
 * this folder denies the access.
 */
function nearestSeen(path: string): string {
  const folder = dirname(path);
  return folder === path || accessProblem(folder) === undefined ? folder : nearestSeen(folder);
}
