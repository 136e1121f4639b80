// Session network: a network namespace with only a loopback device. All commands of one session that run at the same
// time share this namespace. Therefore one command can reach a server that another command started. When the last
// process of the namespace ends, the kernel removes the namespace.

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { text as textOf } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { systemProgram } from './bubblewrap.ts';

/** One command's use of a session's namespace. */
export interface EnteredNetwork {
  /** Arguments to put before a command, so that it runs in the namespace. */
  readonly prefix: readonly string[];
  /** Releases the namespace. The caller must call this function one time, after the command has ended. */
  leave(): void;
}

/** Network namespaces of the sessions that currently run commands. */
export interface SessionNetworks {
  /**
   * Enters the namespace of a session. If it does not exist, creates it. If this system cannot share a namespace,
   * returns `undefined`.
   */
  enter(session: string): Promise<EnteredNetwork | undefined>;
}

interface HeldNamespace {
  readonly holder: Promise<Holder | undefined>;
  users: number;
}

/** A process whose only purpose is that the namespace continues to exist. It ends when its input is closed. */
interface Holder {
  readonly pid: number;
  end(): void;
}

/**
 * Creates the session networks.
 *
 * @param bwrap Path of a `bwrap` that works.
 */
export function createSessionNetworks(bwrap: string): SessionNetworks {
  const nsenter = systemProgram('nsenter');
  const held = new Map<string, HeldNamespace>();
  let works: Promise<boolean> | undefined;
  const start = async (program: string): Promise<Holder | undefined> => {
    const holder = await startHolder(bwrap);
    works ??= holder === undefined ? Promise.resolve(false) : canEnter(bwrap, program, holder.pid);
    if (await works) return holder;
    holder?.end();
    return undefined;
  };
  return {
    async enter(session) {
      if (nsenter === undefined) return undefined;
      const own = held.get(session) ?? { holder: start(nsenter), users: 0 };
      held.set(session, own);
      own.users += 1;
      const leave = (): void => {
        own.users -= 1;
        if (own.users > 0) return;
        held.delete(session);
        void own.holder.then((holder) => holder?.end());
      };
      const holder = await own.holder;
      if (holder !== undefined) return { prefix: [nsenter, ...intoNamespace(holder.pid), '--'], leave };
      leave();
      return undefined;
    },
  };
}

/**
 * Returns the arguments of `nsenter`. Root creates a network namespace directly. For any other user, the network
 * namespace belongs to a user namespace. In that case `nsenter` must enter the user namespace first.
 */
function intoNamespace(pid: number): readonly string[] {
  const asOwner = isRoot() ? [] : ['--user', '--preserve-credentials'];
  return ['--target', String(pid), ...asOwner, '--net'];
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

async function startHolder(bwrap: string): Promise<Holder | undefined> {
  const asOwner = isRoot() ? [] : ['--unshare-user'];
  const argv = ['--die-with-parent', ...asOwner, '--unshare-net', '--ro-bind', '/', '/', '--info-fd', '3', '--'];
  const child = spawn(bwrap, [...argv, '/bin/cat'], { stdio: ['pipe', 'ignore', 'ignore', 'pipe'], env: {} });
  const end = (): void => void child.stdin?.destroy();
  child.stdin?.on('error', () => undefined);
  const pid = await pidIn(child);
  if (pid !== undefined) return { pid, end };
  end();
  return undefined;
}

async function pidIn(child: ChildProcess): Promise<number | undefined> {
  const failed = new Promise<undefined>((resolve) => child.once('error', () => resolve(undefined)));
  // If no file descriptor is free, the child does not start and has no streams.
  const info: unknown = child.pid === undefined ? undefined : child.stdio[3];
  const output = info instanceof Readable ? textOf(info).catch(() => '') : Promise.resolve('');
  const text = await Promise.race([output, failed]);
  const [, pid] = /"child-pid":\s*(\d+)/.exec(text ?? '') ?? [];
  return pid === undefined ? undefined : Number(pid);
}

/**
 * Returns true if a sandbox can start inside the namespace. Some systems allow a program to create a namespace, but do
 * not allow a second namespace inside the first.
 */
async function canEnter(bwrap: string, nsenter: string, pid: number): Promise<boolean> {
  const sandbox = [
    bwrap,
    '--unshare-pid',
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    '--',
    '/bin/true',
  ];
  const child = spawn(nsenter, [...intoNamespace(pid), '--', ...sandbox], { stdio: 'ignore', env: {} });
  return new Promise((resolve) => {
    child.once('error', () => resolve(false)).once('exit', (code) => resolve(code === 0));
  });
}
