// Implements the Log port in PostgreSQL.

import { randomUUID } from 'node:crypto';

import { nodeBytes } from '@tidemark/files';
import type {
  Artifacts,
  Log,
  SessionFilter,
  SessionId,
  SessionSummary,
  SharedTexts,
  Snapshot,
  UnreadableSession,
} from '@tidemark/log';
import {
  LogError,
  decodeSnapshot,
  encodeSnapshot,
  flatten,
  newestFirst,
  passes,
  readBeginning,
  sessionId,
  summaryOf,
  timestamp,
} from '@tidemark/log';
import type { ObjectStore } from '@tidemark/store-objects';
import { createObjectArtifacts, createObjectSnapshots, createObjectUndo } from '@tidemark/store-objects';

import type { Database } from './database.ts';
import { createHeadWatch } from './head-watch.ts';
import { createLeases } from './leases.ts';
import type { WrittenSessions } from './open-writer.ts';
import { createWriter, openWriter } from './open-writer.ts';
import type { TenantSessions } from './read-records.ts';
import { holdSession, receiveInto } from './raw-sessions.ts';
import { headOf, lineage, readSession, recordAt } from './read-records.ts';
import { tailSession } from './tail-session.ts';

/** Options of a store. */
export interface PostgresStoreOptions {
  readonly database: Database;
  /** Name of the tenant, `default` by default. A store sees only the sessions of its tenant. */
  readonly tenant?: string;
  /** Objects of the tenant: artifacts, snapshots, and the bytes of files before tools changed them. */
  readonly objects: ObjectStore;
  /**
   * Time after which the session of a process that was killed can be opened elsewhere, in milliseconds, 10 seconds by
   * default.
   */
  readonly lease?: number;
  /** Name of this process. The row of a session that it holds begins with it. Default: a random name. */
  readonly name?: string;
}

/** Opens the sessions of a tenant. The database has the schema of this version (`migrate`). */
export function openPostgresStore({
  database,
  tenant = 'default',
  objects,
  lease = 10_000,
  name = randomUUID(),
}: PostgresStoreOptions): Log {
  const tenantSessions: TenantSessions = { database, tenant };
  const sessions: WrittenSessions = {
    ...tenantSessions,
    leases: createLeases(tenantSessions, { name, duration: lease }),
    heads: createHeadWatch(tenantSessions),
  };
  const artifacts: Artifacts = createObjectArtifacts(objects);
  const undo = createObjectUndo(objects, async (session) =>
    (await lineage(sessions, session)).segments.map((segment) => segment.session),
  );
  // Undo bytes and a snapshot that cannot be removed now do no harm: they are derived, and a collection removes them.
  const forget = async (session: SessionId): Promise<void> => {
    await Promise.allSettled([undo.remove(session), createObjectSnapshots(objects).remove(session)]);
  };
  return {
    create: (session, parent) => createWriter(sessions, session, parent),
    open: (session) => openWriter(sessions, session),
    async isOpen(session) {
      const [row] = await database.call<{ is_open: boolean }>('is_open', [tenant, session]);
      return row?.is_open === true;
    },
    read: (session, from = 0, to = Infinity) => flatten(readSession(sessions, session, from, to)),
    tail: (session, from, signal) => flatten(tailSession(sessions, session, from, signal)),
    artifacts,
    ...createSnapshots(sessions, objects),
    shared: createSharedTexts(sessions),
    undo,
    raw: {
      hold: (session) => holdSession(sessions, session, forget),
      receive: (session, parent) => receiveInto(sessions, session, parent),
    },
    sessions: (filter = {}) => listSessions(sessions, filter),
  };
}

function createSnapshots(sessions: TenantSessions, objects: ObjectStore): Pick<Log, 'getSnapshot' | 'putSnapshot'> {
  const stored = createObjectSnapshots(objects);
  return {
    async getSnapshot(session, revision) {
      const bytes = await stored.get(session);
      const snapshot = bytes === undefined ? undefined : decodeSnapshot(bytes, nodeBytes)?.snapshot;
      if (snapshot === undefined || (revision !== undefined && snapshot.revision !== revision)) return undefined;
      return (await isOf(sessions, session, snapshot)) ? snapshot : undefined;
    },
    async putSnapshot(session, snapshot) {
      await headOf(sessions, session);
      await stored.put(session, encodeSnapshot({ snapshot }, nodeBytes));
    },
  };
}

async function isOf(sessions: TenantSessions, session: SessionId, { length, chain }: Snapshot): Promise<boolean> {
  try {
    return length > 0 && (await recordAt(sessions, session, length - 1))?.chain === chain;
  } catch (error) {
    if (error instanceof LogError && error.code !== 'log/unreachable') return false;
    throw error;
  }
}

function createSharedTexts({ database, tenant }: TenantSessions): SharedTexts {
  return {
    async get(name) {
      const [row] = await database.call<{ get_shared_text: string | null }>('get_shared_text', [tenant, name]);
      return row?.get_shared_text ?? undefined;
    },
    async put(name, text) {
      await database.call('put_shared_text', [tenant, name, text]);
    },
  };
}

/** First record of a session. `line` is `null` if the record is missing. */
interface FirstRecord {
  readonly session: string;
  readonly size: number;
  /** Time of the last append, in milliseconds since 1970. */
  readonly changed_ms: number;
  readonly line: Buffer | null;
}

/** Number of sessions that one call lists. */
const PAGE = 1_000;

async function listSessions(
  { database, tenant }: TenantSessions,
  filter: SessionFilter,
): Promise<{ readonly sessions: readonly SessionSummary[]; readonly unreadable: readonly UnreadableSession[] }> {
  const sessions: SessionSummary[] = [];
  const unreadable: UnreadableSession[] = [];
  for (let after = ''; ;) {
    const page = await database.call<FirstRecord>('first_records', [tenant, after, PAGE]);
    for (const row of page) {
      const one = summarized(row);
      if ('reason' in one) unreadable.push(one);
      else if (passes(one, filter)) sessions.push(one);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) break;
    after = last.session;
  }
  return { sessions: sessions.toSorted(newestFirst), unreadable };
}

function summarized({ session, size, changed_ms, line }: FirstRecord): SessionSummary | UnreadableSession {
  try {
    if (line === null) throw new Error('its first record is missing');
    const beginning = readBeginning(sessionId(session), session, line, nodeBytes);
    return summaryOf(beginning, { changedAt: timestamp(new Date(changed_ms).toISOString()), bytes: size });
  } catch (error) {
    return { session, reason: error instanceof Error ? error.message : String(error) };
  }
}
