// Places of test sessions: a backend in memory or a home in a temporary folder. Each call of `open` creates a new store
// over the same bytes, as another process would.

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log, SessionId } from '@tidemark/log';
import type { MemoryBackend } from '@tidemark/store-memory';
import { createMemoryStore, createMemoryBackend } from '@tidemark/store-memory';
import { openNdjsonStore } from '@tidemark/store-ndjson';

/** Stores that stories are played on. */
export type StoreName = 'memory' | 'ndjson';

/** Storage of test sessions that several stores can open one after another. */
export interface Place {
  readonly store: StoreName;
  /** Creates a new store over the bytes of this place. */
  open(): Log;
  /** Folder of the home. Undefined if the place is in memory. */
  readonly home: string | undefined;
  /** Returns the bytes of the log of one session, without the lines of its ancestors. */
  bytesOf(session: SessionId): Uint8Array;
  /** Copies the place. In the copy, the log of this session consists of these bytes. */
  copyWith(session: SessionId, bytes: Uint8Array): Place;
  /** Removes all data of this place. */
  remove(): void;
}

/** Makes an empty place. */
export function newPlace(store: StoreName): Place {
  return store === 'memory' ? inMemory(createMemoryBackend()) : inFolder(mkdtempSync(TEMPORARY));
}

/** Runs work in a place and removes the place afterwards. */
export async function within<T>(place: Place, work: (place: Place) => Promise<T>): Promise<T> {
  try {
    return await work(place);
  } finally {
    place.remove();
  }
}

const TEMPORARY = join(tmpdir(), 'tidemark-law-');

function inMemory(backend: MemoryBackend): Place {
  return {
    store: 'memory',
    home: undefined,
    open: () => createMemoryStore(backend),
    bytesOf(session) {
      const held = backend.sessions.get(session);
      return held?.bytes.slice(0, held.length) ?? new Uint8Array();
    },
    copyWith(session, bytes) {
      const copy: MemoryBackend = { ...backend, sessions: new Map(), artifacts: new Map(backend.artifacts) };
      for (const [name, held] of backend.sessions) {
        const own =
          name === session
            ? { bytes: new Uint8Array(bytes), length: bytes.length }
            : { bytes: held.bytes.slice(), length: held.length };
        copy.sessions.set(name, { ...held, ...own, held: false, listeners: new Set() });
      }
      return inMemory(copy);
    },
    remove: () => backend.sessions.clear(),
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
