// Tables of the projection in SQLite.

import type { CallEntry } from './session-rows.ts';
import type { TableColumn } from '../database/table-column.ts';
import { declareColumns, namesOfColumns } from '../database/table-column.ts';
import { picodollars } from '../database/picodollars.ts';
import { ACCOUNT_COLUMNS } from './account-columns.ts';

/** Version of the tables and of the rules by which rows are made. Increase it when either changes. */
export const SESSION_TABLES_VERSION = 2;

/** Columns of a call without those of its account and its session. */
export const CALL_ENTRY_COLUMNS: readonly TableColumn<CallEntry>[] = [
  { name: 'answer', type: 'INTEGER NOT NULL', value: ({ answer }) => answer },
  { name: 'request', type: 'INTEGER', value: ({ request }) => request },
  { name: 'stream', type: 'TEXT NOT NULL', value: ({ stream }) => stream },
  { name: 'step', type: 'INTEGER NOT NULL', value: ({ step }) => step },
  { name: 'at', type: 'TEXT NOT NULL', value: ({ at }) => at },
  { name: 'day', type: 'TEXT NOT NULL', value: ({ day }) => day },
  { name: 'duration', type: 'INTEGER', value: ({ duration }) => duration },
  { name: 'provider', type: 'TEXT NOT NULL', value: ({ provider }) => provider },
  { name: 'model', type: 'TEXT NOT NULL', value: ({ model }) => model },
  { name: 'contract', type: 'TEXT NOT NULL', value: ({ contract }) => contract },
  { name: 'cause', type: 'TEXT NOT NULL', value: ({ cause }) => cause },
  { name: 'opened', type: 'TEXT', value: ({ opened }) => opened },
  { name: 'held', type: 'INTEGER', value: ({ held }) => held },
  { name: 'written_for_hour', type: 'INTEGER NOT NULL', value: ({ writtenForHour }) => writtenForHour },
  { name: 'verdict', type: 'TEXT', value: ({ verdict }) => verdict },
  { name: 'forecast_read', type: 'INTEGER', value: ({ forecastRead }) => forecastRead },
  { name: 'forecast_write', type: 'INTEGER', value: ({ forecastWrite }) => forecastWrite },
  { name: 'forecast_fresh', type: 'INTEGER', value: ({ forecastFresh }) => forecastFresh },
  {
    name: 'forecast_cost',
    type: 'INTEGER',
    value: ({ forecastCost }) => (forecastCost === null ? null : picodollars(forecastCost)),
  },
  { name: 'pending', type: 'INTEGER NOT NULL', value: ({ pending }) => pending },
];

/** Names by which totals are kept, in the order of the key. */
export const TOTAL_KEYS = ['day', 'provider', 'model', 'contract', 'cause', 'charge'] as const;

/** Names of the columns that a total sums up. `lines` is the number of rows. */
export const SUMMED: readonly string[] = ['lines', ...ACCOUNT_COLUMNS.map(({ name }) => name)];

const ACCOUNT = ACCOUNT_COLUMNS.map(({ name }) => `${name} INTEGER NOT NULL`).join(', ');

const KEYS = `day TEXT NOT NULL, provider TEXT NOT NULL, model TEXT NOT NULL, contract TEXT NOT NULL,
  cause TEXT NOT NULL, charge INTEGER NOT NULL, lines INTEGER NOT NULL, ${ACCOUNT}`;

/** Names by which the totals of breaks are kept. */
const BREAK_KEYS = 'day, provider, model, contract, cause';

/** Sums of breaks, as columns of a selection from their rows. */
export const BREAK_SUMS = `count(*) AS breaks, coalesce(sum(tokens), 0) AS tokens,
  coalesce(sum(tokens IS NULL), 0) AS uncounted, coalesce(sum(cost), 0) AS cost,
  coalesce(sum(cost IS NULL), 0) AS unpriced`;

/** Names of these sums. */
export const BREAK_SUM_NAMES: readonly string[] = ['breaks', 'tokens', 'uncounted', 'cost', 'unpriced'];

/**
 * Returns a statement that adds the breaks of the rows with a condition to the totals, or takes them away with the sign
 * `-`.
 */
export function addBreaks(where: string, sign: '' | '-'): string {
  return `INSERT INTO break_total
    SELECT ${BREAK_KEYS}, ${BREAK_SUM_NAMES.map((name) => `${sign}${name}`).join(', ')}
    FROM (SELECT ${BREAK_KEYS}, ${BREAK_SUMS} FROM break WHERE ${where} GROUP BY ${BREAK_KEYS}) WHERE TRUE
    ON CONFLICT DO UPDATE SET ${BREAK_SUM_NAMES.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`;
}

/** Names of all tables, those with references first. */
export const SESSION_TABLE_NAMES: readonly string[] = [
  'call',
  'break',
  'skill',
  'charge',
  'text',
  'text_place',
  'session_total',
  'day_total',
  'break_total',
  'session',
];

/** Number of bits for the position in the identity of a row of texts. The bits above are the key of its session. */
export const POSITION_BITS = 31;

/** Statements that create the tables. The texts are not stored, only the index of their words. */
export const CREATE_SESSION_TABLES: string = `
CREATE TABLE session (
  key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, root TEXT NOT NULL, parent TEXT, started_by TEXT,
  workspace TEXT NOT NULL, title TEXT, created_at TEXT NOT NULL, changed_at TEXT NOT NULL, length INTEGER NOT NULL,
  chain TEXT NOT NULL, facts TEXT, state TEXT, stamp TEXT NOT NULL, problem TEXT
);
CREATE INDEX session_by_change ON session (changed_at, id);
CREATE TABLE call (
  session INTEGER NOT NULL, ${declareColumns(CALL_ENTRY_COLUMNS)}, ${ACCOUNT}, PRIMARY KEY (session, answer)
) WITHOUT ROWID;
CREATE INDEX call_by_time ON call (at);
CREATE INDEX call_pending ON call (session) WHERE pending = 1;
CREATE TABLE break (
  session INTEGER NOT NULL, answer INTEGER NOT NULL, request INTEGER, stream TEXT NOT NULL, step INTEGER NOT NULL,
  at TEXT NOT NULL, day TEXT NOT NULL, provider TEXT NOT NULL, model TEXT NOT NULL, contract TEXT NOT NULL,
  cause TEXT NOT NULL, opened TEXT, tokens INTEGER, cost INTEGER, PRIMARY KEY (session, answer)
) WITHOUT ROWID;
CREATE INDEX break_by_time ON break (at, session, answer);
CREATE TABLE break_total (
  day TEXT NOT NULL, provider TEXT NOT NULL, model TEXT NOT NULL, contract TEXT NOT NULL, cause TEXT NOT NULL,
  breaks INTEGER NOT NULL, tokens INTEGER NOT NULL, uncounted INTEGER NOT NULL, cost INTEGER NOT NULL,
  unpriced INTEGER NOT NULL, PRIMARY KEY (${BREAK_KEYS})
) WITHOUT ROWID;
CREATE TABLE skill (
  session INTEGER NOT NULL, position INTEGER NOT NULL, at TEXT NOT NULL, day TEXT NOT NULL, name TEXT NOT NULL,
  version TEXT NOT NULL, reason TEXT NOT NULL, tokens INTEGER NOT NULL, source TEXT NOT NULL,
  PRIMARY KEY (session, position)
) WITHOUT ROWID;
CREATE INDEX skill_by_time ON skill (at);
CREATE TABLE charge (
  session INTEGER NOT NULL, position INTEGER NOT NULL, at TEXT NOT NULL, day TEXT NOT NULL, call TEXT NOT NULL,
  service TEXT NOT NULL, model TEXT, requests INTEGER NOT NULL, cost INTEGER, charged_requests INTEGER NOT NULL,
  charged_cost INTEGER NOT NULL, charged_unpriced INTEGER NOT NULL, PRIMARY KEY (session, position)
) WITHOUT ROWID;
CREATE INDEX charge_by_time ON charge (at);
CREATE VIRTUAL TABLE text USING fts5(
  title, prompt, answer, files, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);
CREATE TABLE text_place (session INTEGER PRIMARY KEY, length INTEGER NOT NULL);
CREATE TABLE session_total (session INTEGER NOT NULL, ${KEYS}, PRIMARY KEY (session, ${TOTAL_KEYS.join(', ')})) WITHOUT ROWID;
CREATE TABLE day_total (${KEYS}, PRIMARY KEY (${TOTAL_KEYS.join(', ')})) WITHOUT ROWID;
`;

/** Returns `INSERT` for a table with all columns of a call. */
export const INSERT_CALL_ENTRY: string = `INSERT INTO call (session, ${namesOfColumns(CALL_ENTRY_COLUMNS)}, ${namesOfColumns(ACCOUNT_COLUMNS)})
  VALUES (${Array.from({ length: 1 + CALL_ENTRY_COLUMNS.length + ACCOUNT_COLUMNS.length }, () => '?').join(', ')})`;
