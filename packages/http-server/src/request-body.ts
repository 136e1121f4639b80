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
 * Reads a body of at most `limit` bytes into one buffer that grows in place. A list of chunks would take a hundred times the
 * memory of a body that is sent in chunks of one byte, and memory of a refused body is given back without a garbage collection.
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

/** The most bytes that can come. Node.js ends a body at its declared length. */
function longestBody({ headers }: IncomingMessage, limit: number): number {
  return headers['transfer-encoding'] === undefined ? Math.min(limit, Number(headers['content-length'] ?? 0)) : limit;
}
