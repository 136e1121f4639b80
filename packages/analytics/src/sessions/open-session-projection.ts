// Opens the projection of sessions in a database of SQLite.

import { createHash } from 'node:crypto';
import type { RowOf } from '@tidemark/context';
import type { Log } from '@tidemark/log';
import { openRows } from '../database/open-rows.ts';
import { indexTexts } from './index-texts.ts';
import { cacheSums, costSums } from './report-sums.ts';
import { selectBreaks, selectBreakTotals } from './select-breaks.ts';
import { selectCalls } from './select-calls.ts';
import { selectSessions } from './select-sessions.ts';
import { selectSkills } from './select-skills.ts';
import { selectTexts } from './select-texts.ts';
import type { AccountOfGroup } from './select-totals.ts';
import { selectTotals } from './select-totals.ts';
import type { CallFilter, CallGrouping, Grouped, SessionProjection } from './session-projection.ts';
import { CREATE_SESSION_TABLES, SESSION_TABLE_NAMES, SESSION_TABLES_VERSION } from './session-tables.ts';
import { createRowStore } from './sqlite-row-store.ts';
import { updateSessions } from './update-sessions.ts';

/** Options of a projection. */
export interface SessionProjectionOptions {
  /** Path of the database. `undefined` means a database in memory. */
  readonly path: string | undefined;
  /** Store of the sessions. */
  readonly log: Log;
  /** Returns the catalog row of a model. It is used if a log contains no row, for example an imported log. */
  readonly rowOf: RowOf;
  /** Names everything outside of the logs that the rows depend on, such as the digest of the catalog. */
  readonly rules: string;
}

/** Digest of the tables, so that a changed column also empties a database of an earlier version. */
const TABLES_DIGEST = createHash('sha256').update(CREATE_SESSION_TABLES).digest('hex').slice(0, 16);

/** Numbers of rows of a page: without a `limit`, and at most. */
const CALLS = { usual: 100, most: 1000 };
const BREAKS = { usual: 100, most: 1000 };
const SESSIONS = { usual: 50, most: 500 };
const MATCHES = { usual: 20, most: 100 };

/**
 * Opens the projection of the sessions of a store. A database of another version or with other rules is emptied. It has
 * no rows before the first update.
 *
 * @throws AnalyticsError `analytics/busy` if another process writes for 30 seconds, `analytics/unusable` if the file
 *   cannot be opened, read or written.
 */
export async function openSessionProjection(options: SessionProjectionOptions): Promise<SessionProjection> {
  const { path, rules, ...source } = options;
  const rows = openRows(path, {
    rules: `sessions ${SESSION_TABLES_VERSION} ${TABLES_DIGEST} ${rules}`,
    names: SESSION_TABLE_NAMES,
    create: CREATE_SESSION_TABLES,
  });
  const store = createRowStore(rows);
  const totals: SelectTotals = (filter, by) => selectTotals(rows, filter, by);
  return {
    update: (wanted) => updateSessions(store, source, wanted),
    async rebuild(wanted) {
      await store.empty();
      return updateSessions(store, source, wanted);
    },
    cacheEffectiveness: async (filter, by) => grouped(totals, filter, by, ({ account }) => cacheSums(account)),
    cost: async (filter, by) => grouped(totals, filter, by, ({ account }) => costSums(account)),
    breaks: async (filter, by) =>
      grouped(
        (...asked) => selectBreakTotals(rows, ...asked),
        filter,
        by,
        ({ sums }) => sums,
      ),
    listBreaks: async (query) => selectBreaks(rows, query, sizeOf(query.limit, BREAKS)),
    skills: async (filter) => selectSkills(rows, filter),
    calls: async (session, { from = 0, limit } = {}) => selectCalls(rows, session, from, sizeOf(limit, CALLS)),
    sessions: async (query) => selectSessions(rows, query, sizeOf(query.limit, SESSIONS)),
    updateTexts: (wanted = {}) => indexTexts(rows, source.log, wanted),
    search: async (query) => selectTexts(rows, query, sizeOf(query.limit, MATCHES)),
    close: async () => rows.close(),
  };
}

function sizeOf(limit: number | undefined, { usual, most }: { readonly usual: number; readonly most: number }): number {
  return Math.max(1, Math.min(limit ?? usual, most));
}

type SelectTotals = (filter: CallFilter, by: CallGrouping | undefined) => readonly AccountOfGroup[];

function grouped<Group extends { readonly name: string | null }, Sums>(
  select: (filter: CallFilter, by: CallGrouping | undefined) => readonly Group[],
  filter: CallFilter,
  by: CallGrouping | undefined,
  sumsOf: (group: Group) => Sums,
): Grouped<Sums> {
  const [all] = select(filter, undefined);
  if (all === undefined) throw new TypeError('a sum without groups has one row');
  const whole = sumsOf(all);
  if (by === undefined) return { whole };
  return { whole, groups: select(filter, by).map((group) => ({ name: group.name, sums: sumsOf(group) })) };
}
