// Sums up the calls of all agents: what was paid, what it had to cost, and the difference by cause, day, project and
// session. All amounts are exact US dollars.

import { defined } from '@tidemark/core';
import type { LossCause } from '@tidemark/context';
import { isCause } from '@tidemark/context';
import { dollarsOf } from '../database/picodollars.ts';
import type { SqlRow, SqlValue } from '../database/sql-value.ts';
import { bigintIn, isNull, numberIn, textIn } from '../database/sql-value.ts';
import type { UnreadTranscript } from './update-projection.ts';
import type { Projection } from './projection.ts';

/** Calls to sum up. */
export interface AuditFilter {
  /** Earliest time of the calls. */
  readonly since: string;
  /** Folder of a project. Calls in the folder and below it count. Default: all projects. */
  readonly project?: string;
}

/** Sums over calls. */
export interface AuditSums {
  readonly sessions: number;
  readonly calls: number;
  /** Number of calls whose cost is unknown. They are in no sum of money. */
  readonly unpriced: number;
  /** Input tokens of all calls, and the part that was read from the cache. */
  readonly input: number;
  readonly read: number;
  /** Cost that was paid, at the prices of the catalog. */
  readonly paid: string;
  /** Cost that the same calls had to have: `paid` without `difference`. */
  readonly hadToCost: string;
  /** Cost of tokens that were paid again, above the price of reading them. */
  readonly difference: string;
}

/** Tokens that were paid again for one cause. */
export interface AuditCause {
  readonly cause: LossCause;
  readonly calls: number;
  readonly tokens: number;
  readonly cost: string;
  /** Number of calls whose price is unknown. */
  readonly unpriced: number;
}

/** Sums of one day (UTC), with the difference by cause. */
export interface AuditDay extends AuditSums {
  readonly day: string;
  readonly causes: readonly AuditCause[];
}

/** Sums of one group of calls: a project, an agent or a model. */
export interface AuditGroup extends AuditSums {
  readonly name: string;
}

/** Sums of one session. */
export interface AuditSession extends AuditSums {
  readonly agent: string;
  readonly session: string;
  /** Path of the transcript. */
  readonly path: string;
  readonly project: string;
  readonly title?: string;
  readonly from: string;
  readonly to: string;
  /** Tokens written to the cache, and the part that was written with a lifetime of one hour. */
  readonly written: number;
  readonly writtenForHour: number;
  readonly causes: readonly AuditCause[];
}

/** Number of calls by the comparison of the provider's diagnosis with our own cause. */
export interface AuditScore {
  readonly agrees: number;
  readonly disagrees: number;
  /** Calls for which only the provider names a cause. */
  readonly explains: number;
  /** Calls whose diagnosis has no result. */
  readonly silent: number;
}

/** Report of an audit. */
export interface Audit {
  readonly since: string;
  readonly project?: string;
  readonly sums: AuditSums;
  /** Time of the first and the last call. Absent without calls. */
  readonly span?: { readonly from: string; readonly to: string };
  readonly causes: readonly AuditCause[];
  readonly days: readonly AuditDay[];
  readonly agents: readonly AuditGroup[];
  readonly projects: readonly AuditGroup[];
  readonly models: readonly AuditGroup[];
  /** Sessions by their difference, the largest first. */
  readonly sessions: readonly AuditSession[];
  readonly score: AuditScore;
  /** Transcripts that could not be read. */
  readonly problems: readonly UnreadTranscript[];
  /** Number of lines that could not be read, in all transcripts. */
  readonly skippedLines: number;
}

/** One call of a session, with the values that a chart of the session shows. */
export interface AuditCall {
  readonly at: string;
  readonly model: string;
  readonly input: number;
  readonly read: number;
  readonly written: number;
  readonly again: number;
  readonly cause?: LossCause;
}

/** Maximum number of sessions in a report. */
export const MAX_SESSIONS = 200;

// The calls are read once, into sums by session, day, model and cause. All groups of the report are sums of these sums.
const PARTS = `CREATE TEMP TABLE part AS
  SELECT call.source || ' ' || call.session AS one, source.agent AS agent, source.path AS path, call.session AS session,
    session.project AS project, session.title AS title, call.day AS day, call.model AS model, call.cause AS cause,
    call.verdict AS verdict, count(*) AS lines, sum(call.calls) AS calls, sum(call.unpriced) AS unpriced,
    sum(call.input) AS input, sum(call.read) AS read, sum(call.written) AS written,
    sum(call.written_for_hour) AS for_hour, sum(call.paid) AS paid, sum(call.again) AS again,
    sum(call.lost) AS lost, sum(call.lost IS NULL) AS lost_unpriced, min(call.at) AS first, max(call.at) AS last
  FROM call JOIN session ON session.source = call.source AND session.id = call.session
    JOIN source ON source.id = call.source
  WHERE call.at >= :since
    AND (:below IS NULL OR session.project || :separator = :below
      OR substr(session.project, 1, length(:below)) = :below)
  GROUP BY call.source, call.session, call.day, call.model, call.cause, call.verdict`;

const SUMS = `count(DISTINCT one) AS sessions, sum(calls) AS calls, sum(unpriced) AS unpriced, sum(input) AS input,
  sum(read) AS read, sum(paid) AS paid, sum(lost) AS lost, min(first) AS first, max(last) AS last`;

const CAUSES = `cause, sum(lines) AS calls, sum(again) AS tokens, sum(lost) AS lost, sum(lost_unpriced) AS unpriced`;

/** Sums up the calls in the rows. */
export function audit(projection: Projection, filter: AuditFilter): Audit {
  sumParts(projection, filter);
  const ask: Ask = (sql) => projection.query(sql);
  const [all] = ask(`SELECT ${SUMS} FROM part`);
  const byDay = causesBy(ask, 'day');
  const [skipped] = projection.query('SELECT sum(skipped) AS lines FROM source');
  return {
    ...filter,
    sums: sumsOf(all),
    ...spanOf(all),
    causes: ask(`SELECT ${CAUSES} FROM part WHERE again > 0 GROUP BY cause`).map(causeOf).toSorted(byCost),
    days: ask(`SELECT day AS name, ${SUMS} FROM part GROUP BY day ORDER BY day`).map((row) => ({
      day: textIn(row['name']),
      ...sumsOf(row),
      causes: byDay.get(textIn(row['name'])) ?? [],
    })),
    agents: groupsBy(ask, 'agent'),
    projects: groupsBy(ask, 'project'),
    models: groupsBy(ask, 'model'),
    sessions: sessionsIn(ask),
    score: scoreOf(
      ask('SELECT verdict AS name, sum(lines) AS calls FROM part WHERE verdict IS NOT NULL GROUP BY verdict'),
    ),
    problems: projection
      .query('SELECT path, problem FROM source WHERE problem IS NOT NULL ORDER BY path')
      .map((row) => ({ path: textIn(row['path']), reason: textIn(row['problem']) })),
    skippedLines: numberIn(skipped?.['lines']),
  };
}

/** Returns the calls of one session, in order of time. */
export function callsOf(
  projection: Projection,
  { path, session }: Pick<AuditSession, 'path' | 'session'>,
): readonly AuditCall[] {
  const rows = projection.query(
    `SELECT at, model, input, read, written, again, cause FROM call JOIN source ON source.id = call.source
    WHERE source.path = :path AND call.session = :session ORDER BY call.at, call.step`,
    { path, session },
  );
  return rows.map((row) => ({
    at: textIn(row['at']),
    model: textIn(row['model']),
    input: numberIn(row['input']),
    read: numberIn(row['read']),
    written: numberIn(row['written']),
    again: numberIn(row['again']),
    ...defined({ cause: isNull(row['cause']) ? undefined : lossCause(row['cause']) }),
  }));
}

type Ask = (sql: string) => readonly SqlRow[];

function sumParts(projection: Projection, { since, project }: AuditFilter): void {
  projection.query('DROP TABLE IF EXISTS temp.part');
  const separator = project?.includes('\\') === true && !project.includes('/') ? '\\' : '/';
  const isEnded = project?.endsWith(separator) === true;
  // With a separator at its end, the folder `/a/bc` is not below `/a/b`.
  const below = project === undefined ? null : isEnded ? project : project + separator;
  projection.query(PARTS, { since, below, separator });
}

function groupsBy(ask: Ask, column: string): readonly AuditGroup[] {
  return ask(`SELECT ${column} AS name, ${SUMS} FROM part GROUP BY ${column}`)
    .map((row) => ({ name: textIn(row['name']), ...sumsOf(row) }))
    .toSorted((a, b) => Number(b.paid) - Number(a.paid) || (a.name < b.name ? -1 : 1));
}

function causesBy(ask: Ask, column: string): ReadonlyMap<string, readonly AuditCause[]> {
  const found = new Map<string, AuditCause[]>();
  for (const row of ask(`SELECT ${column} AS name, ${CAUSES} FROM part WHERE again > 0 GROUP BY ${column}, cause`)) {
    const name = textIn(row['name']);
    found.set(name, [...(found.get(name) ?? []), causeOf(row)].toSorted(byCost));
  }
  return found;
}

function sessionsIn(ask: Ask): readonly AuditSession[] {
  const causes = causesBy(ask, 'one');
  const rows = ask(
    `SELECT one AS name, agent, path, session, project, title, sum(written) AS written,
    sum(for_hour) AS for_hour, ${SUMS} FROM part GROUP BY one
    ORDER BY lost DESC NULLS LAST, paid DESC NULLS LAST LIMIT ${MAX_SESSIONS}`,
  );
  return rows.map((row) => ({
    agent: textIn(row['agent']),
    session: textIn(row['session']),
    path: textIn(row['path']),
    project: textIn(row['project']),
    ...defined({ title: isNull(row['title']) ? undefined : textIn(row['title']) }),
    from: textIn(row['first']),
    to: textIn(row['last']),
    written: numberIn(row['written']),
    writtenForHour: numberIn(row['for_hour']),
    ...sumsOf(row),
    causes: causes.get(textIn(row['name'])) ?? [],
  }));
}

function sumsOf(row: SqlRow | undefined): AuditSums {
  const [paid, lost] = [bigintIn(row?.['paid']), bigintIn(row?.['lost'])];
  return {
    sessions: numberIn(row?.['sessions']),
    calls: numberIn(row?.['calls']),
    unpriced: numberIn(row?.['unpriced']),
    input: numberIn(row?.['input']),
    read: numberIn(row?.['read']),
    paid: dollarsOf(paid),
    hadToCost: dollarsOf(paid - lost),
    difference: dollarsOf(lost),
  };
}

function causeOf(row: SqlRow): AuditCause {
  return {
    cause: lossCause(row['cause']),
    calls: numberIn(row['calls']),
    tokens: numberIn(row['tokens']),
    cost: dollarsOf(bigintIn(row['lost'])),
    unpriced: numberIn(row['unpriced']),
  };
}

function byCost(a: AuditCause, b: AuditCause): number {
  return Number(b.cost) - Number(a.cost) || b.tokens - a.tokens;
}

function scoreOf(rows: readonly SqlRow[]): AuditScore {
  const count = (verdict: keyof AuditScore): number => numberIn(rows.find((row) => row['name'] === verdict)?.['calls']);
  return {
    agrees: count('agrees'),
    disagrees: count('disagrees'),
    explains: count('explains'),
    silent: count('silent'),
  };
}

function spanOf(row: SqlRow | undefined): Pick<Audit, 'span'> {
  const first = row?.['first'] ?? null;
  return first === null ? {} : { span: { from: textIn(first), to: textIn(row?.['last']) } };
}

function lossCause(value: SqlValue | undefined): LossCause {
  const name = textIn(value);
  return isCause(name) ? name : 'unknown';
}
