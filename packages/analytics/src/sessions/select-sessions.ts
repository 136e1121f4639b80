// Selects sessions with their totals.

import type { RowDatabase } from '../database/open-rows.ts';
import type { SqlRow, SqlValue } from '../database/sql-value.ts';
import { numberIn, textIn } from '../database/sql-value.ts';
import { ACCOUNT_COLUMNS, accountOfRow } from './account-columns.ts';
import { cacheSums, costSums } from './report-sums.ts';
import { nullableText } from './select-calls.ts';
import { readTime } from './select-totals.ts';
import type { SessionListPage, SessionQuery, SessionReport } from './session-projection.ts';

/** Returns sessions with their totals over all their own calls, latest change first. */
export function selectSessions(rows: RowDatabase, query: SessionQuery, limit: number): SessionListPage {
  const conditions = conditionsOf(query);
  const where = conditions.map(({ sql }) => sql).join(' AND ');
  const values = Object.assign({}, ...conditions.map((one) => one.values));
  // The totals are added up only for the sessions of the page.
  const found = rows.query(
    `SELECT page.*, (SELECT count(*) FROM break WHERE break.session = page.key) AS breaks, ${SUMS} FROM (
      SELECT * FROM session WHERE ${where} ORDER BY changed_at DESC, id DESC LIMIT :limit
    ) AS page LEFT JOIN session_total ON session_total.session = page.key
    GROUP BY page.key ORDER BY page.changed_at DESC, page.id DESC`,
    { ...values, limit: limit + 1 },
  );
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  return {
    sessions: shown.map(sessionReport),
    next: found.length > limit && last !== undefined ? `${last['changed_at']} ${last['id']}` : null,
  };
}

const SUMS = ACCOUNT_COLUMNS.map(({ name }) => `sum(session_total.${name}) AS ${name}`).join(', ');

interface Condition {
  readonly sql: string;
  readonly values: Readonly<Record<string, SqlValue>>;
}

function conditionsOf({
  since,
  until,
  session,
  workspace,
  model,
  provider,
  title,
  after,
}: SessionQuery): readonly Condition[] {
  const has = (column: string, value: string): Condition => ({
    sql: `EXISTS (SELECT 1 FROM session_total WHERE session_total.session = session.key AND ${column} = :${column})`,
    values: { [column]: value },
  });
  const [changed = '', id = ''] = after?.split(' ') ?? [];
  return [
    // A session of which no record could be read has no facts.
    { sql: 'facts IS NOT NULL', values: {} },
    ...(since === undefined ? [] : [{ sql: 'changed_at >= :since', values: { since: readTime(since).time } }]),
    ...(until === undefined ? [] : [{ sql: 'created_at < :until', values: { until: readTime(until).time } }]),
    ...(session === undefined ? [] : [{ sql: 'id = :session', values: { session } }]),
    ...(workspace === undefined ? [] : [{ sql: 'workspace = :workspace', values: { workspace } }]),
    ...(title === undefined
      ? []
      : [{ sql: "instr(lower(coalesce(title, '')), lower(:title)) > 0", values: { title } }]),
    ...(model === undefined ? [] : [has('model', model)]),
    ...(provider === undefined ? [] : [has('provider', provider)]),
    ...(after === undefined ? [] : [{ sql: '(changed_at, id) < (:changed, :id)', values: { changed, id } }]),
  ];
}

function sessionReport(row: SqlRow): SessionReport {
  const account = accountOfRow(row);
  return {
    session: textIn(row['id']),
    root: textIn(row['root']),
    parent: nullableText(row['parent']),
    startedBy: nullableText(row['started_by']),
    workspace: textIn(row['workspace']),
    title: nullableText(row['title']),
    createdAt: textIn(row['created_at']),
    changedAt: textIn(row['changed_at']),
    records: numberIn(row['length']),
    problem: nullableText(row['problem']),
    breaks: numberIn(row['breaks']),
    cost: costSums(account),
    cache: cacheSums(account),
  };
}
