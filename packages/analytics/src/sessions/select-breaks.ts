// Selects breaks: as sums, and one by one.

import { isCause } from '@tidemark/context';
import type { RowDatabase } from '../database/open-rows.ts';
import { dollarsOf } from '../database/picodollars.ts';
import type { SqlRow } from '../database/sql-value.ts';
import { bigintIn, numberIn, textIn } from '../database/sql-value.ts';
import { nullableMoney, nullableNumber, nullableText } from './select-calls.ts';
import { breakTotalsQuery, rowCondition } from './select-totals.ts';
import type { BreakPage, BreakQuery, BreakReport, BreakSums, CallFilter, CallGrouping } from './session-projection.ts';

/** Sums over the breaks of one group. */
export interface BreaksOfGroup {
  readonly name: string | null;
  readonly sums: BreakSums;
}

/** Returns the sums of the breaks of a filter, in the groups of `by`. Without `by`, returns one group. */
export function selectBreakTotals(
  rows: RowDatabase,
  filter: CallFilter,
  by: CallGrouping | undefined,
): readonly BreaksOfGroup[] {
  const { sql, values } = breakTotalsQuery(filter, by);
  return rows.query(sql, values).map((row) => ({ name: nullableText(row['name']), sums: breakSums(row) }));
}

function breakSums(row: SqlRow): BreakSums {
  const [breaks, unpriced] = [numberIn(row['breaks']), numberIn(row['unpriced'])];
  return {
    breaks,
    tokens: numberIn(row['tokens']),
    uncounted: numberIn(row['uncounted']),
    cost: breaks > 0 && unpriced === breaks ? null : dollarsOf(bigintIn(row['cost'])),
    unpriced,
  };
}

/** Returns breaks, latest first. */
export function selectBreaks(rows: RowDatabase, { after, ...filter }: BreakQuery, limit: number): BreakPage {
  const { where, values } = rowCondition(filter);
  const [at, key, answer] = after?.split(' ') ?? [];
  const isAfter = after === undefined ? '' : 'AND (at, session.key, answer) < (:at, :key, :answer)';
  const page = after === undefined ? {} : { at: at ?? '', key: Number(key), answer: Number(answer) };
  const found = rows.query(
    `SELECT break.*, session.id AS id, session.key AS key FROM break JOIN session ON session.key = break.session
    WHERE ${where} ${isAfter} ORDER BY at DESC, break.session DESC, answer DESC LIMIT :limit`,
    { ...values, ...page, limit: limit + 1 },
  );
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  return {
    breaks: shown.map(breakReport),
    next: found.length > limit && last !== undefined ? `${last['at']} ${last['key']} ${last['answer']}` : null,
  };
}

function breakReport(row: SqlRow): BreakReport {
  return {
    session: textIn(row['id']),
    request: nullableNumber(row['request']),
    answer: numberIn(row['answer']),
    stream: textIn(row['stream']),
    step: numberIn(row['step']),
    at: textIn(row['at']),
    provider: textIn(row['provider']),
    model: textIn(row['model']),
    contract: nullableText(row['contract']),
    causes: textIn(row['cause']).split(' + ').filter(isCause),
    opened: nullableText(row['opened']),
    tokens: nullableNumber(row['tokens']),
    cost: nullableMoney(row['cost']),
  };
}
