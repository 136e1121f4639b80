// A real pipe. What Node makes for a child's output is a pair of sockets, and a socket cannot be opened by name: in it
// `echo … > /dev/stderr` and `tee /dev/stdout` fail.

import { execFile } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { systemProgram } from '../sandbox/bubblewrap.ts';

/** Both ends. */
export interface Pipe {
  readonly reader: Readable;
  /** A file descriptor to give to a child. Ours is to be closed then, or the reader never ends. */
  readonly writer: number;
  closeWriter(): void;
}

/** Never along `PATH`: an entry of it may be a folder that a command writes, and this runs outside of the sandbox. */
const MKFIFO = systemProgram('mkfifo') ?? '/usr/bin/mkfifo';

/** Makes a pipe that has no name any more. @throws what the system says. */
export async function openPipe(): Promise<Pipe> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-pipe-'));
  try {
    const name = join(folder, 'pipe');
    await promisify(execFile)(MKFIFO, ['-m', '600', name], { env: {} });
    // The reader first, and without waiting: a pipe is opened for writing only where somebody reads.
    const fd = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
    const reader = new Socket({ fd, readable: true, writable: false });
    const writer = openSync(name, constants.O_WRONLY);
    return { reader, writer, closeWriter: () => closeSync(writer) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
