// Where a session lives while a law is tried: a shelf in memory or a home in a temporary folder. Opening a place twice is
// what a process does that was started again: a new store over the same bytes.

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log, SessionId } from '@tidemark/log';
import type { MemoryBackend } from '@tidemark/store-memory';
import { createMemoryStore, createMemoryBackend } from '@tidemark/store-memory';
import { openNdjsonStore } from '@tidemark/store-ndjson';

/** The stores that every law is tried on. */
export type StoreName = 'memory' | 'ndjson';

/** One place, and how to come back to it. */
export interface Place {
  readonly store: StoreName;
  /** A new store over what is there. */
  open(): Log;
  /** The folder, where there is one. */
  readonly home: string | undefined;
  /** The lines that one session has of its own, as bytes. */
  bytesOf(session: SessionId): Uint8Array;
  /** Another place with all that is here, but with these bytes for that session. */
  copyWith(session: SessionId, bytes: Uint8Array): Place;
  /** Removes what is there. */
  remove(): void;
}

/** A new place with nothing in it. */
export function newPlace(store: StoreName): Place {
  return store === 'memory' ? onShelf(createMemoryBackend()) : inFolder(mkdtempSync(TEMPORARY));
}

/** Tries something in a place and leaves nothing behind. */
export async function within<T>(place: Place, work: (place: Place) => Promise<T>): Promise<T> {
  try {
    return await work(place);
  } finally {
    place.remove();
  }
}

const TEMPORARY = join(tmpdir(), 'tidemark-law-');

function onShelf(shelf: MemoryBackend): Place {
  return {
    store: 'memory',
    home: undefined,
    open: () => createMemoryStore(shelf),
    bytesOf(session) {
      const room = shelf.sessions.get(session);
      return room?.bytes.slice(0, room.length) ?? new Uint8Array();
    },
    copyWith(session, bytes) {
      const copy: MemoryBackend = { ...shelf, sessions: new Map(), artifacts: new Map(shelf.artifacts) };
      for (const [name, room] of shelf.sessions) {
        const own =
          name === session
            ? { bytes: new Uint8Array(bytes), length: bytes.length }
            : { bytes: room.bytes.slice(), length: room.length };
        copy.sessions.set(name, { ...room, ...own, held: false, listeners: new Set() });
      }
      return onShelf(copy);
    },
    remove: () => shelf.sessions.clear(),
  };
}

function inFolder(home: string): Place {
  const fileOf = (root: string, session: SessionId): string => join(root, 'sessions', session, 'log.ndjson');
  return {
    store: 'ndjson',
    home,
    open: () => openNdjsonStore({ home }),
    bytesOf: (session) => readFileSync(fileOf(home, session)),
    copyWith(session, bytes) {
      const copy = mkdtempSync(TEMPORARY);
      cpSync(home, copy, { recursive: true, filter: (path) => !path.includes('lease.db') });
      writeFileSync(fileOf(copy, session), bytes);
      return inFolder(copy);
    },
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}
