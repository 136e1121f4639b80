// One sandboxed command: what is looked at before it, what it is started with, and what is found out after it.

import { relative, dirname } from 'node:path';
import { defined } from '@tidemark/core';
import { pathInside } from '../confine/path-inside.ts';
import { resolveLinksNow } from '../confine/resolve-links.ts';
import { showName } from '../confine/show-name.ts';
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
import { WorkspaceError } from '../workspace-error.ts';
import { lstatSync } from 'node:fs';
import { codeOf } from '../confine/file-problem.ts';

/** What a sandbox is made with. */
export interface SandboxOptions {
  /** The path of a `bwrap` that works. */
  readonly bwrap: string;
  /** The path of the shell that looks at the mounts before a command runs: a bash where there is one. */
  readonly shell: string;
  /** Real and absolute. */
  readonly workspace: string;
  readonly home: string;
  /** Variables that name start files and folders of programs, such as `PATH`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether commands may change repositories: then what they put there runs outside of the sandbox later. */
  readonly repository: 'read-only' | 'writable';
  /** Absolute paths that no command may see. */
  readonly forbidden: readonly string[];
  /** Absolute paths that no command may change. */
  readonly protectedPaths: readonly string[];
}

/** What one command may reach. */
export interface CommandReach {
  /** Commands of one session share a network. */
  readonly session: string;
  /** Whether it has the network of this machine, its services included. */
  readonly network: boolean;
  /** Ports of the session's network to open on this machine while the command runs. */
  readonly ports: readonly number[];
}

/** A command that is about to start. */
export interface EnteredSandbox {
  /** Comes before the command. */
  readonly prefix: readonly string[];
  /** To be called once, when the command has ended. */
  leave(): Promise<SandboxFindings>;
}

/** What a command left behind that the user should know of. */
export interface SandboxFindings {
  /** In words, one each. */
  readonly changes: readonly string[];
  /** Why something could not be searched, in words. */
  readonly limit?: string;
}

/** A sandbox for the commands of a workspace; each command enters it and leaves it. */
export interface Sandbox {
  /** @throws WorkspaceError `workspace/port`; `workspace/file-system` where a repository cannot be reached and so not be protected. */
  enter(reach: CommandReach): Promise<EnteredSandbox>;
}

/** Makes the sandbox of a workspace, and removes what killed processes left of theirs. */
export function createSandbox(options: SandboxOptions): Sandbox {
  removeLeftPortFolders();
  const networks = createSessionNetworks(options.bwrap);
  const finder =
    options.repository === 'writable' ? noRepositories : createRepositoryFinder(options.workspace, options.home);
  // A command that runs at the same time may take away a link that leads to a hidden path.
  let covered: readonly string[] = [];
  return {
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
        prefix: [...(network.entered?.prefix ?? []), ...mountsOf(options, paths, hidden, network)],
        async leave() {
          await network.close();
          return findings(options.workspace, { links, stores, missing }, await finder());
        },
      };
    },
  };
}

/** New repositories that are reported by name. */
const MOST_NAMED = 10;

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
  { mode }: Network,
): readonly string[] {
  // The folders above a hidden path are pinned too, so that it cannot be moved out of its cover.
  const pinned = pinnedFolders(workspace, [...paths.readOnly, ...paths.links, ...hidden.map(({ path }) => path)]);
  const { readOnly } = paths;
  const check = mountCheck(shell, {
    workspace,
    writable: ['/tmp', '/run', '/proc', '/dev', workspace, ...pinned, ...hidden.map(({ path }) => path)],
    readOnly: readOnly.filter((path) => !hidden.some((each) => pathInside(each.path, path) !== undefined)),
    same: [...pinned, ...readOnly].filter((path) => !hidden.some((each) => pathInside(each.path, path) !== undefined)),
  });
  return [bwrap, ...bubblewrapArguments({ workspace, readOnly, pinned, hidden, network: mode }), ...check];
}

interface StateBeforeCommand {
  readonly links: readonly RememberedLink[];
  /** Each store with the file that it was: another one in its place is a new one. */
  readonly stores: ReadonlyMap<string, string>;
  /** What the settings of a repository name and is not there: nothing keeps a command from making it. */
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
  const more = fresh.length - MOST_NAMED;
  const restored = restoreLinks(before.links);
  return defined({
    changes: [
      ...fresh
        .slice(0, MOST_NAMED)
        .map(([path]) => `${shown(path)} is new, and git runs what the settings and hooks of a repository name`),
      ...(more > 0 ? [`${more} more repositories are new`] : []),
      ...before.missing
        .filter(isThere)
        .map((path) => `${shown(path)} is new, and the settings of a repository name it: git runs or obeys it`),
      ...restored.map((link) => restoredInWords(link, shown)),
    ],
    limit: after.limit,
  });
}

function restoredInWords({ path, moved, problem }: RestoredLink, shown: (path: string) => string): string {
  const replaced = `${shown(path)} is a link that this command replaced`;
  if (problem !== undefined) return `${replaced}; it could not be put back (${problem}): put it back by hand`;
  return `${replaced}; it was put back${moved === undefined ? '' : `, and what replaced it is ${shown(moved)} now`}`;
}

// A repository that cannot be reached cannot be mounted, so the command that would need its protection must not run.

/**
 * Checks that each path can be looked at, or is gone.
 *
 * @param paths Absolute paths of repositories, in the workspace.
 * @throws WorkspaceError `workspace/file-system`, which names the folder that is in the way and the next step.
 */
function assertReachable(workspace: string, paths: readonly string[]): void {
  for (const path of paths) {
    const code = obstacle(path);
    if (code !== undefined) throw unreachable(workspace, path, code);
  }
}

/** Why the file system does not let this process look at a path: `EACCES`. */
function obstacle(path: string): string | undefined {
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

/** The folder nearest to a path that can be looked at: what is in it cannot. */
function nearestSeen(path: string): string {
  const folder = dirname(path);
  return folder === path || obstacle(folder) === undefined ? folder : nearestSeen(folder);
}
