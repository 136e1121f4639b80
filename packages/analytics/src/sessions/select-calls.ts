// Selects the calls of one session.

import type { Money } from '@tidemark/log';
import type { RowDatabase } from '../database/open-rows.ts';
import { dollarsOf } from '../database/picodollars.ts';
import type { SqlRow, SqlValue } from '../database/sql-value.ts';
import { bigintIn, isNull, numberIn, textIn } from '../database/sql-value.ts';
import { accountOfRow } from './account-columns.ts';
import type { CallPage, CallReport } from './session-projection.ts';

/** Returns calls of a session, in the order of its log, from the position `from` on. */
export function selectCalls(rows: RowDatabase, session: string, from: number, limit: number): CallPage {
  const found = rows.query(
    `SELECT call.* FROM call JOIN session ON session.key = call.session
    WHERE session.id = :session AND call.answer >= :from ORDER BY call.answer LIMIT :limit`,
    { session, from, limit: limit + 1 },
  );
  const next = found[limit];
  return {
    calls: found.slice(0, limit).map(callReport),
    next: next === undefined ? null : numberIn(next['answer']),
  };
}

function callReport(row: SqlRow): CallReport {
  const { tokens, unread, unpriced, cost, compared, again } = accountOfRow(row);
  const isCompared = compared.calls > 0;
  return {
    request: nullableNumber(row['request']),
    answer: numberIn(row['answer']),
    stream: textIn(row['stream']),
    step: numberIn(row['step']),
    at: textIn(row['at']),
    duration: nullableNumber(row['duration']),
    provider: textIn(row['provider']),
    model: textIn(row['model']),
    contract: nullableText(row['contract']),
    opened: nullableText(row['opened']),
    cause: nullableText(row['cause']),
    tokens,
    held: nullableNumber(row['held']),
    writtenForHour: numberIn(row['written_for_hour']),
    verdict: nullableText(row['verdict']),
    ...unread,
    forecast: forecastOf(row),
    paid: unpriced > 0 ? null : cost,
    uncached: isCompared ? compared.uncached : null,
    ideal: isCompared ? compared.ideal : null,
    again: again.tokens,
    lost: again.unpriced > 0 ? null : again.cost,
  };
}

function forecastOf(row: SqlRow): CallReport['forecast'] {
  if (isNull(row['forecast_read'])) return null;
  return {
    read: numberIn(row['forecast_read']),
    write: numberIn(row['forecast_write']),
    fresh: numberIn(row['forecast_fresh']),
    cost: nullableMoney(row['forecast_cost']),
  };
}

/** Returns the number of a column, or `null` if the column has no value. */
export function nullableNumber(value: SqlValue | undefined): number | null {
  return isNull(value) ? null : Number(value);
}

/** Returns the text of a column, or `null` if the column has none. */
export function nullableText(value: SqlValue | undefined): string | null {
  return isNull(value) || value === '' ? null : String(value);
}

/** Returns the amount of a column in US dollars, or `null` if the column has no value. */
export function nullableMoney(value: SqlValue | undefined): Money | null {
  return isNull(value) ? null : dollarsOf(bigintIn(value));
}
