// Reads request bodies, with a limit for each body and a limit for all bodies together.

import type { IncomingMessage } from 'node:http';

/** Counter of the bytes that a server keeps in memory for its clients. */
export interface HeldBytes {
  /** Opens an account for one request or connection. */
  open(): HeldAccount;
}

/** Account of the bytes of one request or connection. */
export interface HeldAccount {
  /** Adds bytes to the account. Returns false if the total of the server would exceed its limit. */
  take(bytes: number): boolean;
  /** Removes bytes from the account. Without a number, removes all of them. */
  release(bytes?: number): void;
}

/** Creates a counter without accounts. `limit` is the maximum total, in bytes. */
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
 * Result of reading a body. `too-large` and `busy` are returned while the client is still sending. `gone` means that
 * the client disconnected.
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
