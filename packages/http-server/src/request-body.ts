// Reads request bodies, with a limit for each body and a limit for all bodies together.

import type { IncomingMessage } from 'node:http';

/** Counter of the bytes that a server keeps in memory for its clients. */
export interface HeldBytes {
  /** Starts counting the bytes of one request or connection. */
  open(): HeldAccount;
}

/** Bytes that one request or connection keeps in memory. They count toward the total of the server. */
export interface HeldAccount {
  /** Adds bytes and returns true. If the total of the server would exceed its limit, adds nothing and returns false. */
  take(bytes: number): boolean;
  /** Subtracts bytes. Without a number, subtracts all bytes of this request or connection. */
  release(bytes?: number): void;
}

/** Creates a counter that starts at 0. `limit` is the maximum total, in bytes. */
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

/**
 * Result of reading a body: its bytes, or the reason why the body was not read. `too-large`: the body exceeds its
 * limit. `busy`: all bodies together would exceed `heldBytes`. Both are returned while the client is still sending.
 * `gone`: the client disconnected.
 */
export type BodyOutcome = Buffer | 'busy' | 'gone' | 'too-large';

/**
 * Reads a body of at most `limit` bytes into one buffer that grows in place. For a body that is sent in chunks of one
 * byte, a list of chunks would take a hundred times the memory. The memory of a refused body is freed without a garbage
 * collection.
 */
export function readBody(incoming: IncomingMessage, limit: number, held: HeldAccount): Promise<BodyOutcome> {
  return new Promise((resolve) => {
    const storage = new ArrayBuffer(0, { maxByteLength: longestBody(incoming, limit) });
    const body = new Uint8Array(storage);
    const refuse = (outcome: 'busy' | 'gone' | 'too-large'): void => {
      incoming.off('data', onData);
      if (!storage.detached) storage.resize(0);
      resolve(outcome);
    };
    const onData = (chunk: Buffer): void => {
      const before = storage.byteLength;
      if (before + chunk.length > limit) return refuse('too-large');
      if (!held.take(chunk.length)) return refuse('busy');
      storage.resize(before + chunk.length);
      body.set(chunk, before);
    };
    incoming.on('data', onData);
    incoming.once('end', () => {
      if (!storage.detached) resolve(Buffer.from(storage.transferToFixedLength()));
    });
    incoming.once('error', () => refuse('gone'));
    incoming.once('close', () => refuse('gone'));
  });
}

/** Returns the maximum number of bytes that can arrive for a body. Node.js ends a body at its declared length. */
function longestBody({ headers }: IncomingMessage, limit: number): number {
  return headers['transfer-encoding'] === undefined ? Math.min(limit, Number(headers['content-length'] ?? 0)) : limit;
}
