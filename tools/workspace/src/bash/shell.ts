// Shell: runs commands in the sandbox if there is one. Otherwise commands run with the user's own access.

import type { Notice } from '@tidemark/agent';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { findBubblewrap } from '../sandbox/bubblewrap.ts';
import type { CommandReach, Sandbox, SandboxFindings } from '../sandbox/sandbox.ts';
import { createSandbox } from '../sandbox/sandbox.ts';
import type { CommandVariables } from './bash-environment.ts';
import { bashEnvironment, withheldVariables } from './bash-environment.ts';
import type { GuardedCommand } from './guard.ts';

/** Options of `openShell`. */
export interface ShellOptions extends CommandVariables {
  /** Sandbox for commands. The default `auto` uses bubblewrap if it is installed and works. */
  readonly sandbox?: 'auto' | 'never';
  /**
   * Network access of sandboxed commands. With the default `off`, a command has a network only if the call requests it
   * and the user allows it.
   */
  readonly network?: 'off' | 'on';
  /**
   * Access of sandboxed commands to repositories. The default is `read-only`, because hooks and settings of a
   * repository later run outside the sandbox.
   */
  readonly repository?: 'read-only' | 'writable';
  /** Source of the variables. The default is the environment of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Absolute paths that sandboxed commands must not see, such as the folder of the session logs. */
  readonly forbidden?: readonly string[];
  /** Absolute paths that sandboxed commands must not change, such as files that a trusted setting starts. */
  readonly protectedPaths?: readonly string[];
}

interface Teller {
  notice(notice: Notice): void;
}

/** A command that is ready to run. */
export interface EnteredShell {
  readonly command: GuardedCommand;
  /**
   * Releases the sandbox. The caller must call this function one time, after the command has ended. Returns messages
   * for the model about changes that the sandbox found.
   */
  leave(): Promise<readonly string[]>;
}

/**
 * The shell that runs commands. If there is a sandbox, they run in it. Otherwise they run with the user's own access.
 */
export interface Shell {
  readonly sandboxed: boolean;
  readonly network: 'off' | 'on';
  /** Names of the variables that this process has and commands do not get. Names of secrets are not among them. */
  readonly withheld: ReadonlySet<string>;
  /** Lets the commands of a session share one `/tmp` in the sandbox. Returns a function that removes it. */
  openTemp(session: string): () => Promise<void>;
  /**
   * Prepares a command. If there is a sandbox, the command will run in it.
   *
   * @throws WorkspaceError `workspace/port` when a requested port cannot be opened, `workspace/file-system` when the
   * file system refuses.
   */
  enter(text: string, reach: CommandReach, teller: Teller): Promise<EnteredShell>;
}

const SHELLS = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash', '/run/current-system/sw/bin/bash'];

/** Returns the path of the shell that runs commands: bash if this machine has it, otherwise `/bin/sh`. */
export function findShell(): string {
  return SHELLS.find((path) => existsSync(path)) ?? '/bin/sh';
}

/**
 * Opens a shell in a folder.
 *
 * @throws WorkspaceError `workspace/secret-variable` when `variables` contains the name of a secret.
 */
export function openShell(folder: string, options: ShellOptions): Shell {
  const { network = 'off' } = options;
  const from = options.environment ?? process.env;
  const environment = bashEnvironment(from, options);
  const program = findShell();
  const sandbox = sandboxOf(folder, program, options);
  const tell = onceEach();
  return {
    sandboxed: sandbox !== undefined,
    network,
    withheld: withheldVariables(from, environment),
    openTemp(session) {
      sandbox?.temps.open(session);
      return async () => sandbox?.temps.close(session);
    },
    async enter(text, reach, teller) {
      const entered = await sandbox?.enter(reach);
      const argv = [...(entered?.prefix ?? []), program, '-c', text];
      if (entered !== undefined && process.getuid?.() === 0) tell(reach.session, ROOT, teller);
      const leave = async (): Promise<readonly string[]> => {
        if (entered === undefined) return [];
        const found = await entered.leave();
        for (const notice of noticesOf(found)) tell(reach.session, notice, teller);
        return found.changes;
      };
      return { command: { argv, folder, environment }, leave };
    },
  };
}

function sandboxOf(folder: string, shell: string, options: ShellOptions): Sandbox | undefined {
  const bwrap = options.sandbox === 'never' ? undefined : findBubblewrap(folder);
  if (bwrap === undefined) return undefined;
  const { environment = process.env, repository = 'read-only', forbidden = [], protectedPaths = [] } = options;
  const home = environment['HOME'] ?? homedir();
  return createSandbox({ bwrap, shell, workspace: folder, home, environment, repository, forbidden, protectedPaths });
}

const ROOT: Notice = {
  code: 'sandbox/root',
  message: 'commands run as root, so they can write to every file of root that no mount covers',
  next: 'work as an ordinary user if you can',
};

function noticesOf({ changes, limit }: SandboxFindings): readonly Notice[] {
  const next = 'check this before you use git here';
  return [
    ...changes.map((message) => ({ code: 'sandbox/changed', message: `after a command: ${message}`, next })),
    ...(limit === undefined
      ? []
      : [{ code: 'sandbox/limit', message: `not all repositories are protected: ${limit}`, next }]),
  ];
}

/** Returns a function that shows each notice only one time per session. */
function onceEach(): (session: string, notice: Notice, teller: Teller) => void {
  const shownKeys = new Set<string>();
  return (session, notice, teller) => {
    const key = JSON.stringify([session, notice]);
    if (!shownKeys.has(key)) teller.notice(notice);
    shownKeys.add(key);
  };
}
