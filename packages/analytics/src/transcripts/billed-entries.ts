// The calls of each transcript by identity. A call that several transcripts contain is billed by one of them. The
// others bill only the usage that exceeds it, so their rows depend on the entries of the other transcripts.

import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { BilledIn, Usage } from '@tidemark/log';
import { position, sessionId } from '@tidemark/log';
import { outputTokens } from '@tidemark/model';
import type { BilledCalls } from '@tidemark/recording';

/** Call of a transcript. */
export interface BilledEntry {
  readonly by: BilledIn;
  /** Record of another transcript that billed the call when this one was read. Absent if this one bills it. */
  readonly elsewhere?: BilledIn;
}

/** Finds the record of another transcript that bills a call. */
export type FindBilled = (identity: string, path: string) => BilledIn | undefined;

/** Table of the entries. `bills` is 1 for the transcript that bills the call. */
export const BILLED_TABLE = `
CREATE TABLE billed (
  identity TEXT NOT NULL, source INTEGER NOT NULL REFERENCES source ON DELETE CASCADE, bills INTEGER NOT NULL,
  session TEXT NOT NULL, position INTEGER NOT NULL, usage TEXT NOT NULL, PRIMARY KEY (identity, source)
) WITHOUT ROWID;
CREATE INDEX billed_by_source ON billed (source);
`;

/**
 * Returns a function that finds the record which bills a call, with the largest usage that any of the other transcripts
 * has for the call.
 */
export function findBilled(database: DatabaseSync): FindBilled {
  const others = database.prepare(
    `SELECT bills, session, position, usage FROM billed
    WHERE identity = ? AND source IS NOT (SELECT id FROM source WHERE path = ?)`,
  );
  return (identity, path) => {
    const found = others.all(shortName(identity), path);
    const bills = found.find((row) => row['bills'] === 1);
    return bills && { ...billedIn(bills), usage: found.map(usageOf).reduce(largerUsage) };
  };
}

function billedIn(row: Readonly<Record<string, unknown>>): BilledIn {
  return {
    session: sessionId(String(row['session'])),
    position: position(Number(row['position'])),
    usage: usageOf(row),
  };
}

function usageOf(row: Readonly<Record<string, unknown>>): Usage {
  const usage: Usage = JSON.parse(String(row['usage']));
  return usage;
}

function largerUsage(a: Usage, b: Usage): Usage {
  return (outputTokens(b) ?? 0) > (outputTokens(a) ?? 0) ? b : a;
}

/** Returns true if the calls of a transcript are still billed as they were when it was read. */
export function entriesHold(entries: ReadonlyMap<string, BilledEntry>, path: string, find: FindBilled): boolean {
  return [...entries].every(([identity, { elsewhere }]) => {
    const now = find(identity, path);
    return JSON.stringify(now?.usage) === JSON.stringify(elsewhere?.usage);
  });
}

/** Entries of one transcript, by short name. */
type StoredEntries = ReadonlyMap<string, { readonly bills: boolean; readonly usage: string }>;

/** Returns the entries of a transcript before it is written. */
export function oldEntries(database: DatabaseSync, path: string): StoredEntries {
  const rows = database
    .prepare('SELECT identity, bills, usage FROM billed WHERE source = (SELECT id FROM source WHERE path = ?)')
    .all(path);
  return new Map(
    rows.map((row) => [String(row['identity']), { bills: row['bills'] === 1, usage: String(row['usage']) }]),
  );
}

/** Writes the entries of a transcript. */
export function writeEntries(
  database: DatabaseSync,
  source: number,
  entries: ReadonlyMap<string, BilledEntry>,
): StoredEntries {
  const insert = database.prepare(
    'INSERT INTO billed (identity, source, bills, session, position, usage) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const stored = new Map<string, { readonly bills: boolean; readonly usage: string }>();
  for (const [identity, { by, elsewhere }] of entries) {
    const [name, bills, usage] = [shortName(identity), elsewhere === undefined, JSON.stringify(by.usage)];
    insert.run(name, source, bills ? 1 : 0, by.session, by.position, usage);
    stored.set(name, { bills, usage });
  }
  return stored;
}

/**
 * Marks the transcripts that must be read again, because a transcript no longer has a call that they did not bill, or
 * has it with another usage.
 */
export function markDependents(
  database: DatabaseSync,
  source: number,
  before: StoredEntries,
  after: StoredEntries,
): void {
  const mark = database.prepare(MARK);
  for (const [name, { bills, usage }] of before) {
    const now = after.get(name);
    if (now === undefined || now.usage !== usage || (bills && !now.bills)) mark.run(name, source);
  }
}

const MARK = `UPDATE source SET modified = -1
  WHERE id IN (SELECT source FROM billed WHERE identity = ? AND source <> ? AND bills = 0)`;

/**
 * Removes the removed transcripts whose calls are all in transcripts that exist, such as renamed ones, and the
 * problems of removed files. Returns true if transcripts were marked to be read again.
 */
export function forgetRemoved(database: DatabaseSync, found: ReadonlySet<string>): boolean {
  const gone = database
    .prepare('SELECT id, path, format IS NULL AS unread FROM source')
    .all()
    .filter((row) => !found.has(String(row['path'])));
  if (gone.length === 0) return false;
  database.exec('CREATE TEMP TABLE IF NOT EXISTS gone (id INTEGER PRIMARY KEY); DELETE FROM gone;');
  const add = database.prepare('INSERT INTO gone (id) VALUES (?)');
  for (const { id } of gone) add.run(Number(id));
  database.exec(
    'DELETE FROM source WHERE format IS NULL AND id IN gone; UPDATE source SET problem = NULL WHERE id IN gone;',
  );
  const covered = gone.filter((row) => row['unread'] === 0 && isCovered(database, Number(row['id'])));
  for (const row of covered) {
    const entries = oldEntries(database, String(row['path']));
    markDependents(database, Number(row['id']), entries, new Map());
    database.prepare('DELETE FROM source WHERE id = ?').run(Number(row['id']));
  }
  return covered.length > 0;
}

/** Returns true if a removed transcript bills calls, and each of them is in a transcript that exists. */
function isCovered(database: DatabaseSync, source: number): boolean {
  const bills = database.prepare('SELECT 1 FROM billed WHERE source = ? AND bills = 1 LIMIT 1').get(source);
  const alone = database.prepare(ALONE).get(source);
  return bills !== undefined && alone === undefined;
}

const ALONE = `SELECT 1 FROM billed AS one WHERE one.source = ? AND one.bills = 1 AND NOT EXISTS (
  SELECT 1 FROM billed AS other WHERE other.identity = one.identity AND other.source NOT IN gone) LIMIT 1`;

/** Returns a short name of an identity. The identity itself is about a hundred bytes long. */
function shortName(identity: string): string {
  return createHash('sha1').update(identity).digest('base64url');
}

/** Calls by identity for reading one transcript. */
export interface BilledLayer extends BilledCalls {
  /** Calls of the transcript. */
  entries(): ReadonlyMap<string, BilledEntry>;
}

/**
 * Returns the billed calls for reading the transcript `path`: those of other transcripts, and those that this one has
 * added. Its entries of an earlier state do not count.
 */
export function billedLayer(find: FindBilled, path: string): BilledLayer {
  const own = new Map<string, BilledEntry>();
  const others = new Map<string, BilledIn>();
  return {
    entries: () => own,
    get: (identity) => {
      const before = own.get(identity)?.by;
      if (before !== undefined) return before;
      const found = find(identity, path);
      if (found !== undefined) others.set(identity, found);
      return found;
    },
    set: (identity, by) => {
      const elsewhere = own.get(identity)?.elsewhere ?? others.get(identity);
      return own.set(identity, elsewhere === undefined ? { by } : { by, elsewhere });
    },
  };
}
