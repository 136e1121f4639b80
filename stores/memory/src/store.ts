// Implements the Log port in memory. It behaves like the stores on disk and is used in tests and examples.

import { nodeBytes } from '@tidemark/files';
import type {
  Artifacts,
  Chain,
  Digest,
  Log,
  LogWriter,
  Parent,
  Recorded,
  SessionId,
  SessionSummary,
  Snapshot,
  Tip,
  UnreadableSession,
  WriterStorage,
} from '@tidemark/log';
import {
  EMPTY_TIP,
  LogError,
  createSerialWriter,
  decodeSnapshot,
  digest as mintDigest,
  diverged,
  encodeSnapshot,
  flatten,
  newestFirst,
  passes,
  readLineage,
  summaryOf,
} from '@tidemark/log';
import type { MemoryBackend, SessionData } from './memory-backend.ts';
import { bytesOf, createSessionData, createMemoryBackend, extend } from './memory-backend.ts';
import { holdSession, lockedError, receiveInto } from './raw-sessions.ts';
import { createUndo } from './undo.ts';
import { begin, isBegun, lineage, readSessionData, readerOf, sessionDataOf, tailSessionData } from './read.ts';

/**
 * Creates a store that lives as long as its backend. `sync` has nothing to flush, because the data does not survive the
 * process.
 */
export function createMemoryStore(backend: MemoryBackend = createMemoryBackend()): Log {
  return {
    create: (session, parent) => create(backend, session, parent),
    open: (session) => open(backend, session),
    isOpen: async (session) => backend.sessions.get(session)?.held === true,
    read: (session, from = 0, to = Infinity) => flatten(readBatches(backend, session, from, to)),
    tail: (session, from, signal) => flatten(tailSessionData(backend, session, from, signal)),
    artifacts: createArtifacts(backend.artifacts),
    getSnapshot: (session, revision) => getSnapshot(backend, session, revision),
    putSnapshot: async (session, snapshot) => {
      sessionDataOf(backend, session).snapshot = encodeSnapshot({ snapshot }, nodeBytes);
    },
    shared: {
      get: async (name) => backend.shared.get(name),
      put: async (name, text) => void backend.shared.set(name, text),
    },
    undo: createUndo(backend),
    raw: {
      hold: (session) => holdSession(backend, session),
      async receive(session, parent) {
        if (parent !== undefined) await tipAt(backend, parent);
        return receiveInto(backend, session, parent);
      },
    },
    sessions: async (filter = {}) => {
      const { sessions, unreadable } = list(backend);
      return { sessions: sessions.filter((summary) => passes(summary, filter)).toSorted(newestFirst), unreadable };
    },
  };
}

async function* readBatches(
  backend: MemoryBackend,
  session: SessionId,
  from: number,
  to: number,
): AsyncGenerator<readonly Recorded[]> {
  const origins = await lineage(backend, session);
  yield* readLineage(origins, from, to, (name, first, end) => readSessionData(backend, name, first, end));
}

async function create(backend: MemoryBackend, session: SessionId, parent: Parent | undefined): Promise<LogWriter> {
  const tip = parent === undefined ? EMPTY_TIP : await tipAt(backend, parent);
  const there = backend.sessions.get(session);
  if (there !== undefined && isBegun(there)) {
    throw new LogError('log/exists', `Session ${session} already exists; open it, or use another id.`, { session });
  }
  if (there?.held === true) throw lockedError(session);
  const data = createSessionData(session, parent);
  backend.sessions.set(session, data);
  backend.incoming.delete(session);
  return hold(data, tip);
}

async function open(backend: MemoryBackend, session: SessionId): Promise<LogWriter> {
  const data = sessionDataOf(backend, session);
  if (data.held) throw lockedError(session);
  const { start, record } = begin(backend, session);
  const { parent } = record.data;
  const before = parent === undefined ? EMPTY_TIP : await tipAt(backend, parent);
  const reader = readerOf(data, { ...before, length: start }, Infinity, Infinity);
  const failure = reader.read(bytesOf(data)).failure ?? reader.end();
  if (failure !== undefined) throw failure;
  data.length = reader.offset;
  return hold(data, reader.tip);
}

function hold(data: SessionData, tip: Tip): LogWriter {
  if (data.held) throw lockedError(data.session);
  data.held = true;
  const { session, parent } = data;
  return createSerialWriter({ session, parent, tip, fence: tip.fence + 1 }, storageOf(data), nodeBytes);
}

function storageOf(data: SessionData): WriterStorage {
  return {
    write: async ({ lines }) => extend(data, lines),
    flush: async () => undefined,
    release: async () => {
      data.held = false;
    },
  };
}

async function tipAt(backend: MemoryBackend, parent: Parent): Promise<Tip> {
  if (!backend.sessions.has(parent.session)) {
    const message = `Session ${parent.session} cannot be forked, because it does not exist here.`;
    throw new LogError('log/parent-missing', message, { parent: parent.session });
  }
  for await (const [record] of readBatches(backend, parent.session, parent.position, parent.position + 1)) {
    if (record?.chain === parent.chain)
      return { length: record.position + 1, chain: record.chain, fence: record.fence };
    throw diverged(parent, 'that position now contains another record');
  }
  throw diverged(parent, `that session ends before position ${parent.position}`);
}

async function getSnapshot(
  backend: MemoryBackend,
  session: SessionId,
  revision: string | undefined,
): Promise<Snapshot | undefined> {
  const latest = sessionDataOf(backend, session).snapshot;
  const snapshot = latest === undefined ? undefined : decodeSnapshot(latest, nodeBytes)?.snapshot;
  if (snapshot === undefined || (revision !== undefined && snapshot.revision !== revision)) return undefined;
  return (await chainAt(backend, session, snapshot.length)) === snapshot.chain ? snapshot : undefined;
}

async function chainAt(backend: MemoryBackend, session: SessionId, length: number): Promise<Chain | undefined> {
  try {
    for await (const [record] of readBatches(backend, session, length - 1, length)) return record?.chain;
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
  }
  return undefined;
}

function list(backend: MemoryBackend): {
  readonly sessions: SessionSummary[];
  readonly unreadable: UnreadableSession[];
} {
  const sessions: SessionSummary[] = [];
  const unreadable: UnreadableSession[] = [];
  for (const data of backend.sessions.values()) {
    if (!isBegun(data)) continue;
    try {
      sessions.push(summaryOf(begin(backend, data.session), { bytes: data.length }));
    } catch (error) {
      if (!(error instanceof LogError)) throw error;
      unreadable.push({ session: data.session, reason: error.message });
    }
  }
  return { sessions, unreadable };
}

function createArtifacts(stored: Map<string, Uint8Array>): Artifacts {
  return {
    async put(bytes) {
      const whole = bytes instanceof Uint8Array ? new Uint8Array(bytes) : await gather(bytes);
      const digest = mintDigest(nodeBytes.sha256([whole]));
      stored.set(digest, whole);
      return { digest, size: whole.length };
    },
    async *get(digest) {
      const whole = stored.get(digest);
      if (whole === undefined) throw missing(digest);
      if (nodeBytes.sha256([whole]) !== digest) throw damageError(digest);
      yield new Uint8Array(whole);
    },
    has: async (digest) => stored.has(digest),
  };
}

async function gather(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) pieces.push(new Uint8Array(piece));
  return Buffer.concat(pieces);
}

function missing(digest: Digest): LogError {
  return new LogError(
    'artifact/missing',
    `Artifact ${digest} does not exist here; it was removed, or it is in another store.`,
    { digest },
  );
}

function damageError(digest: Digest): LogError {
  return new LogError(
    'artifact/damaged',
    `Artifact ${digest} no longer has the bytes that were stored; it cannot be used.`,
    { digest },
  );
}
