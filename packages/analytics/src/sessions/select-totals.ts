// Selects sums of calls. Whole days come from the totals, and the rest of a day from the rows of its calls.

import { defined } from '@tidemark/core';
import type { Account } from '@tidemark/context';
import type { RowDatabase } from '../database/open-rows.ts';
import type { SqlValue } from '../database/sql-value.ts';
import { isNull, textIn } from '../database/sql-value.ts';
import { ACCOUNT_COLUMNS, accountOfRow } from './account-columns.ts';
import type { CallFilter, CallGrouping } from './session-projection.ts';
import { BREAK_SUM_NAMES } from './session-tables.ts';

/** Account of one group. The name is `null` for calls without a name. */
export interface AccountOfGroup {
  readonly name: string | null;
  readonly account: Account;
}

/** Condition of SQL with the values of its parameters. */
export interface SqlCondition {
  readonly where: string;
  readonly values: Readonly<Record<string, SqlValue>>;
}

/**
 * Returns the sums of the calls of a filter. With `by`, returns those of each group, ordered by name. Without `by`,
 * returns one group, also if there is no call.
 */
export function selectTotals(
  rows: RowDatabase,
  filter: CallFilter,
  by: CallGrouping | undefined,
): readonly AccountOfGroup[] {
  const { sql, values } = totalsQuery(filter, by);
  return rows.query(sql, values).map((row) => ({
    name: isNull(row['name']) || row['name'] === '' ? null : textIn(row['name']),
    account: accountOfRow(row),
  }));
}

const SUMS = ACCOUNT_COLUMNS.map(({ name }) => `sum(${name}) AS ${name}`).join(', ');
const NAMES = ACCOUNT_COLUMNS.map(({ name }) => name).join(', ');

/** Columns of a charge as those of an account. */
const CHARGE = ACCOUNT_COLUMNS.map(({ name }) => (name.startsWith('charged_') ? name : `0 AS ${name}`)).join(', ');

/** Groups that contain charges. A charge has no model, provider, contract or cause. */
const WITH_CHARGES: ReadonlySet<CallGrouping | undefined> = new Set([undefined, 'session', 'day', 'workspace']);

interface Query extends Pick<SqlCondition, 'values'> {
  readonly sql: string;
}

function totalsQuery(filter: CallFilter, by: CallGrouping | undefined): Query {
  const charges = WITH_CHARGES.has(by) && filter.model === undefined && filter.provider === undefined;
  const { days, edges, values } = splitWindow(filter);
  const select = (table: string, columns: string, conditions: readonly string[]): string =>
    selectPart({ table, columns, conditions: [...conditions, ...namesOf(filter)], filter, by });
  const totals = needsSessions(filter, by) ? 'session_total' : 'day_total';
  const parts = [
    ...(days === undefined ? [] : [select(totals, NAMES, [...days, ...(charges ? [] : ['charge = 0'])])]),
    ...edges.flatMap((edge) => [select('call', NAMES, [edge]), ...(charges ? [select('charge', CHARGE, [edge])] : [])]),
  ];
  return { sql: groupedSums(SUMS, parts, by), values: { ...values, ...valuesOf(filter) } };
}

/** Returns a query for the sums of breaks. Whole days without a filter of sessions come from the totals. */
export function breakTotalsQuery(filter: CallFilter, by: CallGrouping | undefined): Query {
  const sums = BREAK_SUM_NAMES.map((name) => `sum(${name}) AS ${name}`).join(', ');
  const rows = (conditions: readonly string[]): string =>
    selectPart({ table: 'break', columns: BREAK_ROW, conditions, filter, by });
  if (needsSessions(filter, by)) {
    const { where, values } = rowCondition(filter);
    return { sql: groupedSums(sums, [rows([where])], by), values };
  }
  const { days, edges, values } = splitWindow(filter);
  const names = namesOf(filter);
  const columns = BREAK_SUM_NAMES.join(', ');
  const parts = [
    ...(days === undefined
      ? []
      : [selectPart({ table: 'break_total', columns, conditions: [...days, ...names], filter, by })]),
    ...edges.map((edge) => rows([edge, ...names])),
  ];
  return { sql: groupedSums(sums, parts, by), values: { ...values, ...valuesOf(filter) } };
}

/** One break as sums. */
const BREAK_ROW = `1 AS breaks, coalesce(tokens, 0) AS tokens, tokens IS NULL AS uncounted, coalesce(cost, 0) AS cost,
  cost IS NULL AS unpriced`;

/** Returns true if the names of the sessions are needed. */
function needsSessions({ session, workspace }: CallFilter, by: CallGrouping | undefined): boolean {
  return by === 'session' || by === 'workspace' || session !== undefined || workspace !== undefined;
}

/** Selection from one table that is joined with others by `UNION ALL`. */
interface PartOfQuery {
  readonly table: string;
  readonly columns: string;
  readonly conditions: readonly string[];
  readonly filter: CallFilter;
  readonly by: CallGrouping | undefined;
}

function selectPart({ table, columns, conditions, filter, by }: PartOfQuery): string {
  const from = needsSessions(filter, by) ? `${table} JOIN session ON session.key = ${table}.session` : table;
  const name = by === undefined ? 'NULL' : nameOfGroup(by);
  return `SELECT ${name} AS name, ${columns} FROM ${from} WHERE ${['TRUE', ...conditions].join(' AND ')}`;
}

function groupedSums(sums: string, parts: readonly string[], by: CallGrouping | undefined): string {
  const group = by === undefined ? '' : 'GROUP BY name ORDER BY name';
  return `SELECT name, ${sums} FROM (${parts.join(' UNION ALL ')}) ${group}`;
}

/** Returns the column of the names of groups. */
function nameOfGroup(by: CallGrouping): string {
  return by === 'session' ? 'session.id' : by;
}

const FIELDS = ['session', 'workspace', 'model', 'provider'] as const;

const CONDITIONS: Readonly<Record<(typeof FIELDS)[number], string>> = {
  session: 'session.id = :session',
  workspace: 'session.workspace = :workspace',
  model: 'model = :model',
  provider: 'provider = :provider',
};

function namesOf(filter: CallFilter): readonly string[] {
  return FIELDS.filter((field) => filter[field] !== undefined).map((field) => CONDITIONS[field]);
}

function valuesOf(filter: CallFilter): SqlCondition['values'] {
  return Object.fromEntries(
    FIELDS.flatMap((field) => {
      const value = filter[field];
      return value === undefined ? [] : [[field, value]];
    }),
  );
}

/** Returns the condition of a filter for rows that are joined with their sessions. */
export function rowCondition(filter: CallFilter): SqlCondition {
  const { since, until } = filter;
  const times = [...(since === undefined ? [] : ['at >= :since']), ...(until === undefined ? [] : ['at < :until'])];
  return {
    where: ['TRUE', ...times, ...namesOf(filter)].join(' AND '),
    values: {
      ...valuesOf(filter),
      ...(since === undefined ? {} : { since: readTime(since).time }),
      ...(until === undefined ? {} : { until: readTime(until).time }),
    },
  };
}

/** Window of time as conditions: one for whole days, and one for each day of which only a part is in the window. */
interface SplitWindow {
  /** Conditions for the totals of days. `undefined` if the window contains no whole day. */
  readonly days: readonly string[] | undefined;
  readonly edges: readonly string[];
  readonly values: Readonly<Record<string, string>>;
}

function splitWindow(filter: CallFilter): SplitWindow {
  const since = filter.since === undefined ? undefined : readTime(filter.since);
  const until = filter.until === undefined ? undefined : readTime(filter.until);
  const from = since?.isWhole === false ? dayAfter(since.day) : since?.day;
  const to = until?.day;
  if (since !== undefined && until !== undefined && from !== undefined && to !== undefined && from > to)
    return { days: undefined, edges: [WITHIN], values: { since: since.time, until: until.time } };
  return {
    days: [...(from === undefined ? [] : ['day >= :from']), ...(to === undefined ? [] : ['day < :to'])],
    edges: [...(since?.isWhole === false ? [EARLY] : []), ...(until?.isWhole === false ? [LATE] : [])],
    values: defined({
      from,
      to,
      since: since?.isWhole === false ? since.time : undefined,
      until: until?.isWhole === false ? until.time : undefined,
    }),
  };
}

const WITHIN = 'at >= :since AND at < :until';
const EARLY = 'at >= :since AND at < :from';
const LATE = 'at >= :to AND at < :until';

/** Time of a filter in the form of the rows. `isWhole` is true if it is the start of its day. */
interface FilterTime {
  readonly time: string;
  readonly day: string;
  readonly isWhole: boolean;
}

/** Reads a day or a timestamp. */
export function readTime(text: string): FilterTime {
  const time = new Date(text).toISOString();
  const day = time.slice(0, 10);
  return { time, day, isWhole: time === `${day}T00:00:00.000Z` };
}

function dayAfter(day: string): string {
  return new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10);
}

const DAY_MS = 86_400_000;
