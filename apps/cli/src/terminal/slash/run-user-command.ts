// Runs a command that the user typed after `!`: with the user's rights and shell, outside the sandbox, in the workspace.
// Its input is empty. Its output is masked and bounded.

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { isAbsolute } from 'node:path';

import type { Secrets } from '@tidemark/agent';
import { openLiveOutput, THIS_MACHINE } from '@tidemark/agent';

import type { CommandEnvironment } from '../../frame/home.ts';
import { createBoundedOutput } from './bounded-output.ts';

/** Environment of a command of the user. */
export interface UserCommandPlace {
  /** Absolute path of the folder in which the command runs. */
  readonly folder: string;
  readonly environment: CommandEnvironment;
  readonly secrets: Secrets;
  /** Aborts to end the command and every process in its process group. */
  readonly signal: AbortSignal;
  /** Called with the next piece of the masked output while the command runs. */
  watch(piece: string): void;
}

/** A command of the user that has ended. */
export interface EndedUserCommand {
  /** Exit code, or the name of the signal that ended the command. */
  readonly end: number | NodeJS.Signals;
  readonly durationMs: number;
  /** Masked output. */
  readonly output: string;
  /** True if a process that the command started still runs in the background. */
  readonly background: boolean;
  /** True if the user stopped the command. */
  readonly stopped: boolean;
}

/** Half of the output that is kept, in bytes. */
const HALF = 2 * 1_024 * 1_024;
/** Time that the rest of the output has after the shell has ended, in milliseconds. Then a background process has it. */
const DRAIN_MS = 250;
/** Time that a stopped command has to end by itself, in milliseconds. */
const STOP_MS = 2_000;

/**
 * Runs the command until its shell ends.
 *
 * @throws an error of Node when the shell cannot be started.
 */
export async function runUserCommand(line: string, place: UserCommandPlace): Promise<EndedUserCommand> {
  const began = performance.now();
  const { folder, environment, secrets, signal } = place;
  const child = spawn(shellOf(environment), ['-c', line], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    // The command leads a process group, so that all its processes can be stopped together.
    detached: true,
  });
  const output = createBoundedOutput(HALF);
  const live = openLiveOutput({ secrets, surroundings: THIS_MACHINE, send: place.watch });
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Uint8Array) => {
      output.add(chunk);
      live.write(chunk);
    });
  const stop = (): void => stopGroup(child);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const { end, background } = await ended(child);
    const { head, tail, dropped } = output.kept();
    const durationMs = performance.now() - began;
    const text = textOf(head, tail, dropped);
    return { end, durationMs, output: await secrets.mask(text), background, stopped: signal.aborted };
  } finally {
    signal.removeEventListener('abort', stop);
    live.close();
  }
}

/** Returns the user's own shell, or `/bin/sh` if `SHELL` is not an absolute path. */
function shellOf({ SHELL = '' }: CommandEnvironment): string {
  return isAbsolute(SHELL) ? SHELL : '/bin/sh';
}

/** Waits until the shell has ended and its output was read. A background process keeps the output open. */
function ended(child: ChildProcess): Promise<Pick<EndedUserCommand, 'end' | 'background'>> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      const end = code ?? signal ?? 1;
      const timer = setTimeout(() => {
        letGo(child);
        resolve({ end, background: true });
      }, DRAIN_MS);
      child.once('close', () => {
        clearTimeout(timer);
        resolve({ end, background: false });
      });
    });
  });
}

/** Drops the further output of a background process. The process can go on, and it does not keep this process alive. */
function letGo({ stdout, stderr }: ChildProcess): void {
  for (const stream of [stdout, stderr]) {
    stream?.removeAllListeners('data');
    stream?.resume();
    if (stream !== null && 'unref' in stream && typeof stream.unref === 'function') stream.unref();
  }
}

/** Ends the process group: politely at first, and after a while by force. */
function stopGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  signalGroup(pid, 'SIGTERM');
  setTimeout(() => signalGroup(pid, 'SIGKILL'), STOP_MS).unref();
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // No process of the group is left.
  }
}

/** Returns the kept output as text. A line in brackets replaces the bytes that were dropped. */
function textOf(head: Uint8Array, tail: Uint8Array, dropped: number): string {
  if (dropped === 0) return Buffer.concat([head, tail]).toString('utf8');
  return `${Buffer.from(head).toString('utf8')}\n[${dropped} bytes were dropped]\n${Buffer.from(tail).toString('utf8')}`;
}
