// Reading request bodies within a limit for each and a limit for all together.

import type { IncomingMessage } from 'node:http';

/** The bytes that a server holds for its clients. */
export interface HeldBytes {
  /** Opens an account for one request or connection. */
  open(): HeldAccount;
}

/** The part of one request or connection. */
export interface HeldAccount {
  /** Takes bytes. `false` when the server would hold too many. */
  take(bytes: number): boolean;
  /** Gives bytes back; without a number, all. */
  release(bytes?: number): void;
}

/** Makes an empty account book with a limit in bytes. */
export function createHeldBytes(limit: number): HeldBytes {
  let held = 0;
  return {
    open() {
      let own = 0;
      return {
        take(bytes) {
          if (held + bytes > limit) return false;
          held += bytes;
          own += bytes;
          return true;
        },
        release(bytes = own) {
          const given = Math.min(bytes, own);
          held -= given;
          own -= given;
        },
      };
    },
  };
}

/** `too-large` and `busy` are known while the client still sends; `gone` when it left. */
export type BodyOutcome = Buffer | 'busy' | 'gone' | 'too-large';

/**
 * Reads a body of at most `limit` bytes. It is copied into one buffer that grows: a list of chunks would take a hundred times
 * the memory of a body that is sent in chunks of one byte.
 */
export function readBody(incoming: IncomingMessage, limit: number, held: HeldAccount): Promise<BodyOutcome> {
  return new Promise((resolve) => {
    let buffer = Buffer.alloc(0);
    let bytes = 0;
    const finish = (outcome: BodyOutcome): void => {
      incoming.off('data', onData);
      resolve(outcome);
    };
    const onData = (chunk: Buffer): void => {
      const needed = bytes + chunk.length;
      if (needed > limit) return finish('too-large');
      if (!held.take(chunk.length)) return finish('busy');
      if (needed > buffer.length) {
        const grown = Buffer.alloc(Math.min(limit, Math.max(needed, 2 * buffer.length)));
        buffer.copy(grown, 0, 0, bytes);
        buffer = grown;
      }
      chunk.copy(buffer, bytes);
      bytes = needed;
    };
    incoming.on('data', onData);
    incoming.once('end', () => finish(buffer.subarray(0, bytes)));
    incoming.once('error', () => finish('gone'));
    incoming.once('close', () => finish('gone'));
  });
}
