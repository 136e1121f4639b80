// Reads input that is piped in addition to the words of a prompt. A shell closes its pipe. Another program that starts
// this command may leave stdin open and write nothing. This must not block the prompt.

import { fstatSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';

/** Time without data, in milliseconds. After this time, a note explains what the command waits for. */
const PATIENCE_MS = 1_000;

/** Stream for `readAlong`, with the functions for notes and waiting. */
export interface PipedReading {
  readonly stream: Readable;
  /**
   * True if the writer of the stream is known to close it, as for a shell pipe or a file. False for a socket, which
   * Node can give to a child process as stdin.
   */
  readonly ends: boolean;
  /** Shows a line to the user. */
  readonly note: (text: string) => void;
  /** Resolves after `ms` milliseconds. Rejects when the signal aborts. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** Returns true if the writer at the other end of a file descriptor is known to close it. */
export function endsByItself(descriptor: number): boolean {
  try {
    return !fstatSync(descriptor).isSocket();
  } catch {
    // The descriptor is closed, so there is nothing to read.
    return true;
  }
}

/**
 * Reads the stream until it ends, or until more than `most` bytes have arrived. If `ends` is false and no data arrives
 * within one second, the stream is destroyed and no bytes are returned.
 *
 * @throws when the signal aborts.
 */
export async function readAlong(reading: PipedReading, most: number, signal: AbortSignal): Promise<Uint8Array> {
  const { stream, ends, note, wait = waitFor } = reading;
  const chunks: Uint8Array[] = [];
  const over = new AbortController();
  const stopped = AbortSignal.any([signal, over.signal]);
  const silent = wait(PATIENCE_MS, stopped).then(
    () => chunks.length === 0,
    () => false,
  );
  const read = readInto(stream, chunks, most);
  // Prevents an unhandled rejection. The error is thrown at the `await` of `read`.
  read.catch(() => undefined);
  try {
    const first = await Promise.race([read.then(() => 'read' as const), silent, rejectOnAbort(stopped)]);
    if (first === true && !ends) {
      note(
        `stdin is open but sent nothing for ${PATIENCE_MS / 1_000} s: continuing without it; \`< /dev/null\` avoids the wait`,
      );
      stream.destroy();
      return new Uint8Array();
    }
    if (first === true) note('waiting for the end of the piped input; `< /dev/null` sends an empty input');
    await Promise.race([read, rejectOnAbort(signal)]);
    return Buffer.concat(chunks);
  } finally {
    over.abort();
  }
}

/** Reads a stream until it ends, or until more than `most` bytes have arrived. */
export async function readAtMost(stream: Readable, most: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  await readInto(stream, chunks, most);
  return Buffer.concat(chunks);
}

async function readInto(stream: Readable, chunks: Uint8Array[], most: number): Promise<void> {
  let size = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes);
    size += bytes.length;
    if (size > most) return;
  }
}

function waitFor(ms: number, signal: AbortSignal): Promise<unknown> {
  return pause(ms, undefined, { signal, ref: false });
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = (): void => reject(new Error('interrupted while reading stdin'));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
