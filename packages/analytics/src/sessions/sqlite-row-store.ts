// Rows of sessions in a database of SQLite. Each write is one transaction: rows and totals change together.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { defined } from '@tidemark/core';
import { chain } from '@tidemark/log';
import type { RowDatabase } from '../database/open-rows.ts';
import { picodollars } from '../database/picodollars.ts';
import type { SqlRow } from '../database/sql-value.ts';
import { isNull, numberIn, sqlRow, textIn } from '../database/sql-value.ts';
import { namesOfColumns } from '../database/table-column.ts';
import { ACCOUNT_COLUMNS, accountOfRow, accountValues } from './account-columns.ts';
import type { TotalChange } from './call-totals.ts';
import { beginTotals } from './call-totals.ts';
import { removeTexts } from './index-texts.ts';
import type { KnownSession, ReadingEnd, RowsPlace, RowStore, SessionWrite } from './row-store.ts';
import type {
  BreakEntry,
  ChargeEntry,
  LogTip,
  SessionEntries,
  SessionFacts,
  SkillEntry,
  TotalKey,
} from './session-rows.ts';
import { keyOfCharge } from './session-rows.ts';
import { CALL_ENTRY_COLUMNS, INSERT_CALL_ENTRY, SUMMED, TOTAL_KEYS, addBreaks } from './session-tables.ts';

/** Creates the store of rows in an open database. */
export function createRowStore(rows: RowDatabase): RowStore {
  const { database, transact } = rows;
  const statements = prepareStatements(database);
  return {
    known: async () => new Map(rows.query(KNOWN).map((row) => [textIn(row['id']), knownSession(row)])),
    place: async (session) => {
      const [row] = rows.query(PLACE, { session });
      return row && readingPlace(row);
    },
    write: async (write) => transact(() => writeSession(database, statements, write)),
    end: async (session, end) => transact(() => endReading(database, session, end)),
    remove: async (session) =>
      transact(() => {
        removeRows(database, session);
        database.prepare('DELETE FROM session WHERE id = ?').run(session);
      }),
    empty: async () => rows.empty(),
  };
}

const KNOWN = 'SELECT id, stamp, problem FROM session';

const PLACE = 'SELECT length, chain, facts, state FROM session WHERE id = :session AND facts IS NOT NULL';

function knownSession({ stamp, problem }: SqlRow): KnownSession {
  return { stamp: textIn(stamp), problem: isNull(problem) ? undefined : textIn(problem) };
}

function readingPlace(row: SqlRow): RowsPlace {
  const facts: SessionFacts = JSON.parse(textIn(row['facts']));
  const state = isNull(row['state']) ? undefined : textIn(row['state']);
  return { length: numberIn(row['length']), chain: chain(textIn(row['chain'])), facts, state };
}

/** Statements that run for each row or each write. */
interface Statements {
  readonly find: StatementSync;
  readonly keep: StatementSync;
  readonly pending: StatementSync;
  readonly dropPending: StatementSync;
  readonly call: StatementSync;
  readonly break: StatementSync;
  readonly breakTotal: StatementSync;
  readonly skill: StatementSync;
  readonly charge: StatementSync;
  readonly sessionTotal: StatementSync;
  readonly dayTotal: StatementSync;
  readonly dropSessionTotal: StatementSync;
  readonly dropDayTotal: StatementSync;
}

function prepareStatements(database: DatabaseSync): Statements {
  const insert = (table: string, count: number): StatementSync =>
    database.prepare(`INSERT OR REPLACE INTO ${table} VALUES (${placeholders(count)})`);
  const pending = database.prepare(PENDING);
  pending.setReadBigInts(true);
  const isKey = TOTAL_KEYS.map((name) => `${name} = ?`).join(' AND ');
  return {
    find: database.prepare('SELECT key, length, chain FROM session WHERE id = ?'),
    keep: database.prepare(KEEP_SESSION),
    pending,
    dropPending: database.prepare('DELETE FROM call WHERE session = ? AND pending = 1'),
    call: database.prepare(INSERT_CALL_ENTRY),
    break: database.prepare(`INSERT OR IGNORE INTO break VALUES (${placeholders(14)})`),
    breakTotal: database.prepare(addBreaks('session = ? AND answer = ?', '')),
    skill: insert('skill', 9),
    charge: insert('charge', 12),
    sessionTotal: database.prepare(addTotal('session_total', ['session', ...TOTAL_KEYS])),
    dayTotal: database.prepare(addTotal('day_total', TOTAL_KEYS)),
    dropSessionTotal: database.prepare(`DELETE FROM session_total WHERE session = ? AND ${isKey} AND lines = 0`),
    dropDayTotal: database.prepare(`DELETE FROM day_total WHERE ${isKey} AND lines = 0`),
  };
}

const PENDING = `SELECT ${[...TOTAL_KEYS.slice(0, -1), namesOfColumns(ACCOUNT_COLUMNS)].join(', ')} FROM call
  WHERE session = ? AND pending = 1`;

/** Columns of a session except `stamp`, which a reading without a listing does not change. */
const SESSION_COLUMNS: readonly string[] =
  'id root parent started_by workspace title created_at changed_at length chain facts state problem'.split(' ');

const KEEP_SESSION = `INSERT INTO session (${SESSION_COLUMNS.join(', ')}, stamp)
  VALUES (${SESSION_COLUMNS.map((name) => `:${name}`).join(', ')}, coalesce(:stamp, ''))
  ON CONFLICT (id) DO UPDATE SET ${SESSION_COLUMNS.map((name) => `${name} = excluded.${name}`).join(', ')},
    stamp = coalesce(:stamp, stamp)
  RETURNING key`;

function placeholders(count: number): string {
  return Array.from({ length: count }, () => '?').join(', ');
}

function addTotal(table: string, keys: readonly string[]): string {
  return `INSERT INTO ${table} (${[...keys, ...SUMMED].join(', ')}) VALUES (${placeholders(keys.length + SUMMED.length)})
    ON CONFLICT DO UPDATE SET ${SUMMED.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`;
}

function writeSession(database: DatabaseSync, statements: Statements, write: SessionWrite): boolean {
  const { session, before, restart, entries } = write;
  const there = statements.find.get(session);
  if (!isAt(there, before)) return false;
  if (restart) removeRows(database, session);
  const key = keepSession(statements, write);
  const totals = beginTotals();
  for (const pending of takePending(statements, key)) totals.add(pending.key, pending.account, -1);
  writeEntries(statements, key, entries);
  for (const call of entries.calls) totals.add(call, call.account, 1);
  for (const charge of entries.charges) totals.add(keyOfCharge(charge), charge.account, 1);
  writeTotals(statements, key, totals.all());
  return true;
}

/** Returns true if the rows of a session are those of the place. A session without rows has the length 0. */
function isAt(there: Readonly<Record<string, unknown>> | undefined, place: LogTip | undefined): boolean {
  if (place === undefined) return there === undefined || there['length'] === 0;
  return there?.['length'] === place.length && there['chain'] === place.chain;
}

function keepSession({ keep }: Statements, { session, after, end }: SessionWrite): number {
  const { length, facts, state } = after;
  const { created, createdAt, changedAt } = facts;
  const { root, parent, startedBy, workspace, title } = created;
  const row = keep.get({
    id: session,
    root,
    parent: parent?.session ?? null,
    started_by: startedBy?.session ?? null,
    workspace,
    title: title ?? null,
    created_at: createdAt,
    changed_at: changedAt,
    length,
    chain: after.chain,
    facts: JSON.stringify(facts),
    state: state ?? null,
    stamp: end?.stamp ?? null,
    problem: end?.problem ?? null,
  });
  return Number(row?.['key']);
}

/** Removes the pending calls of a session and returns their names and accounts. */
function takePending({ pending, dropPending }: Statements, key: number): readonly PendingTotal[] {
  const rows = pending.all(key).map(sqlRow);
  if (rows.length > 0) dropPending.run(key);
  return rows.map((row) => ({
    key: {
      day: textIn(row['day']),
      provider: textIn(row['provider']),
      model: textIn(row['model']),
      contract: textIn(row['contract']),
      cause: textIn(row['cause']),
      charge: 0,
    },
    account: accountValues(accountOfRow(row)),
  }));
}

/** Part of the totals that a pending call has. */
interface PendingTotal {
  readonly key: TotalKey;
  readonly account: readonly number[];
}

function writeEntries(statements: Statements, key: number, entries: SessionEntries): void {
  for (const call of entries.calls)
    statements.call.run(key, ...CALL_ENTRY_COLUMNS.map(({ value }) => value(call)), ...call.account);
  // A break at a pending call is written again with the same values.
  for (const one of entries.breaks)
    if (Number(statements.break.run(key, ...breakValues(one)).changes) > 0) statements.breakTotal.run(key, one.answer);
  for (const skill of entries.skills) statements.skill.run(key, ...skillValues(skill));
  for (const charge of entries.charges) statements.charge.run(key, ...chargeValues(charge));
}

function breakValues(one: BreakEntry): readonly (string | number | null)[] {
  const cost = one.cost === null ? null : picodollars(one.cost);
  const { answer, request, stream, step, at, day, provider, model, contract, causes, opened, tokens } = one;
  return [answer, request, stream, step, at, day, provider, model, contract, causes.join(' + '), opened, tokens, cost];
}

function skillValues(skill: SkillEntry): readonly (string | number)[] {
  const { position, at, day, name, version, reason, tokens, source } = skill;
  return [position, at, day, name, version, reason, tokens, source];
}

function chargeValues(charge: ChargeEntry): readonly (string | number | null)[] {
  const { position, at, day, call, service, model, requests, account } = charge;
  const cost = charge.cost === null ? null : picodollars(charge.cost);
  const sums = account.filter((_, index) => ACCOUNT_COLUMNS[index]?.name.startsWith('charged_') === true);
  return [position, at, day, call, service, model, requests, cost, ...sums];
}

function writeTotals(statements: Statements, session: number, changes: readonly TotalChange[]): void {
  for (const { key, values } of changes) {
    const { day, provider, model, contract, cause, charge } = key;
    const names = [day, provider, model, contract, cause, charge];
    statements.sessionTotal.run(session, ...names, ...values);
    statements.dayTotal.run(...names, ...values);
    if ((values[0] ?? 0n) > 0n) continue;
    statements.dropSessionTotal.run(session, ...names);
    statements.dropDayTotal.run(...names);
  }
}

/** Removes all rows of a session except the row of the session itself, and takes them from the totals. */
function removeRows(database: DatabaseSync, session: string): void {
  const key = database.prepare('SELECT key FROM session WHERE id = ?').get(session)?.['key'];
  if (typeof key !== 'number') return;
  const keys = TOTAL_KEYS.join(', ');
  database
    .prepare(
      `INSERT INTO day_total (${keys}, ${SUMMED.join(', ')})
      SELECT ${keys}, ${SUMMED.map((name) => `-${name}`).join(', ')} FROM session_total WHERE session = ?
      ON CONFLICT DO UPDATE SET ${SUMMED.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`,
    )
    .run(key);
  database.prepare(addBreaks('session = ?', '-')).run(key);
  for (const table of ['call', 'break', 'skill', 'charge', 'session_total'])
    database.prepare(`DELETE FROM ${table} WHERE session = ?`).run(key);
  removeTexts({ database }, key);
  database.exec('DELETE FROM day_total WHERE lines = 0; DELETE FROM break_total WHERE breaks = 0;');
}

function endReading(database: DatabaseSync, session: string, { stamp, problem }: ReadingEnd): void {
  const values = { session, problem: problem ?? null, ...defined({ stamp }) };
  const changed = database
    .prepare(
      `UPDATE session SET problem = :problem ${stamp === undefined ? '' : ', stamp = :stamp'} WHERE id = :session`,
    )
    .run(values).changes;
  if (changed > 0 || problem === undefined) return;
  database
    .prepare(
      `INSERT INTO session (id, root, workspace, created_at, changed_at, length, chain, stamp, problem)
      VALUES (?, ?, '', '', '', 0, '', ?, ?)`,
    )
    .run(session, session, stamp ?? '', problem);
}
