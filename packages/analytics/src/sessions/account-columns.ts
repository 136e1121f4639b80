// The sums of an account as columns of a table. Counts are integers, and money is in picodollars, so sums of the columns
// are exact.

import type { Account } from '@tidemark/context';
import { NO_CALLS } from '@tidemark/context';
import type { Money } from '@tidemark/log';
import { dollarsOf, picodollars } from '../database/picodollars.ts';
import type { SqlRow, SqlValue } from '../database/sql-value.ts';
import { bigintIn, numberIn } from '../database/sql-value.ts';

/** Column of an account. */
export interface AccountColumn {
  readonly name: string;
  readonly value: (account: Account) => number;
}

function amount(name: string, read: (account: Account) => Money): AccountColumn {
  return { name, value: (account) => picodollars(read(account)) ?? 0 };
}

/** Columns of an account, in order. The sums for another model are not stored. */
export const ACCOUNT_COLUMNS: readonly AccountColumn[] = [
  { name: 'calls', value: ({ calls }) => calls },
  { name: 'uncounted', value: ({ uncounted }) => uncounted },
  { name: 'unanswered', value: ({ unanswered }) => unanswered },
  { name: 'unpriced', value: ({ unpriced }) => unpriced },
  { name: 'bounded_calls', value: ({ bounded }) => bounded.calls },
  amount('bounded_cost', ({ bounded }) => bounded.cost),
  { name: 'estimated_calls', value: ({ estimated }) => estimated.calls },
  { name: 'estimated_tokens', value: ({ estimated }) => estimated.tokens },
  amount('estimated_cost', ({ estimated }) => estimated.cost),
  { name: 'fresh', value: ({ tokens }) => tokens.fresh },
  { name: 'read', value: ({ tokens }) => tokens.read },
  { name: 'written', value: ({ tokens }) => tokens.written },
  { name: 'untold', value: ({ tokens }) => tokens.untold },
  { name: 'answered', value: ({ tokens }) => tokens.answer },
  { name: 'reasoning', value: ({ tokens }) => tokens.reasoning },
  amount('paid', ({ cost }) => cost),
  { name: 'dearer_calls', value: ({ dearer }) => dearer.calls },
  amount('dearer_cost', ({ dearer }) => dearer.cost),
  { name: 'dearer_unpriced', value: ({ dearer }) => dearer.unpriced },
  { name: 'compared_calls', value: ({ compared }) => compared.calls },
  amount('compared_paid', ({ compared }) => compared.paid),
  amount('uncached', ({ compared }) => compared.uncached),
  amount('ideal', ({ compared }) => compared.ideal),
  { name: 'again_calls', value: ({ again }) => again.calls },
  { name: 'again_tokens', value: ({ again }) => again.tokens },
  amount('lost', ({ again }) => again.cost),
  { name: 'lost_unpriced', value: ({ again }) => again.unpriced },
  { name: 'rated_read', value: ({ rated }) => rated.read },
  { name: 'rated_written', value: ({ rated }) => rated.written },
  { name: 'readable_calls', value: ({ readable }) => readable.calls },
  { name: 'readable_held', value: ({ readable }) => readable.held },
  { name: 'readable_read', value: ({ readable }) => readable.read },
  { name: 'wasted', value: ({ unread }) => unread.wasted },
  { name: 'waiting', value: ({ unread }) => unread.waiting },
  { name: 'forecast_calls', value: ({ forecast }) => forecast.calls },
  { name: 'forecast_input', value: ({ forecast }) => forecast.input },
  { name: 'forecast_off', value: ({ forecast }) => forecast.off },
  { name: 'charged_requests', value: ({ charged }) => charged.requests },
  amount('charged_cost', ({ charged }) => charged.cost),
  { name: 'charged_unpriced', value: ({ charged }) => charged.unpriced },
];

/** Returns the values of the columns, in order. */
export function accountValues(account: Account): readonly number[] {
  const stored = withoutExcess(account);
  return ACCOUNT_COLUMNS.map(({ value }) => Math.round(value(stored)));
}

/** Counts an amount that is too large for exact sums as unknown. */
function withoutExcess(account: Account): Account {
  const { cost, bounded, estimated, dearer, compared, again, charged } = account;
  if (
    [
      cost,
      compared.uncached,
      compared.ideal,
      again.cost,
      dearer.cost,
      bounded.cost,
      estimated.cost,
      charged.cost,
    ].every(isExact)
  )
    return account;
  return {
    ...account,
    ...(isExact(cost) ? {} : { cost: NO_CALLS.cost, unpriced: account.calls }),
    bounded: isExact(bounded.cost) ? bounded : NO_CALLS.bounded,
    estimated: isExact(estimated.cost) ? estimated : { ...estimated, cost: NO_CALLS.cost },
    dearer: isExact(dearer.cost) ? dearer : { ...dearer, cost: NO_CALLS.cost, unpriced: dearer.calls },
    compared: [cost, compared.uncached, compared.ideal].every(isExact) ? compared : NO_CALLS.compared,
    again: isExact(again.cost) ? again : { ...again, cost: NO_CALLS.cost, unpriced: again.calls },
    charged: isExact(charged.cost) ? charged : { ...charged, cost: NO_CALLS.cost, unpriced: charged.requests },
  };
}

function isExact(dollars: Money): boolean {
  // Most amounts are below one dollar, and the conversion takes time.
  return dollars === '0' || dollars.startsWith('0.') || picodollars(dollars) !== null;
}

/** Returns the account of a row that contains all columns, for example as sums. */
export function accountOfRow(row: SqlRow): Account {
  return {
    calls: numberIn(row['calls']),
    uncounted: numberIn(row['uncounted']),
    unanswered: numberIn(row['unanswered']),
    unpriced: numberIn(row['unpriced']),
    bounded: { calls: numberIn(row['bounded_calls']), cost: moneyIn(row['bounded_cost']) },
    estimated: {
      calls: numberIn(row['estimated_calls']),
      tokens: numberIn(row['estimated_tokens']),
      cost: moneyIn(row['estimated_cost']),
    },
    tokens: {
      fresh: numberIn(row['fresh']),
      read: numberIn(row['read']),
      written: numberIn(row['written']),
      untold: numberIn(row['untold']),
      answer: numberIn(row['answered']),
      reasoning: numberIn(row['reasoning']),
    },
    cost: moneyIn(row['paid']),
    dearer: {
      calls: numberIn(row['dearer_calls']),
      cost: moneyIn(row['dearer_cost']),
      unpriced: numberIn(row['dearer_unpriced']),
    },
    compared: {
      calls: numberIn(row['compared_calls']),
      paid: moneyIn(row['compared_paid']),
      uncached: moneyIn(row['uncached']),
      ideal: moneyIn(row['ideal']),
    },
    other: NO_CALLS.other,
    again: {
      calls: numberIn(row['again_calls']),
      tokens: numberIn(row['again_tokens']),
      cost: moneyIn(row['lost']),
      unpriced: numberIn(row['lost_unpriced']),
    },
    rated: { read: numberIn(row['rated_read']), written: numberIn(row['rated_written']) },
    readable: {
      calls: numberIn(row['readable_calls']),
      held: numberIn(row['readable_held']),
      read: numberIn(row['readable_read']),
    },
    unread: { wasted: numberIn(row['wasted']), waiting: numberIn(row['waiting']) },
    forecast: {
      calls: numberIn(row['forecast_calls']),
      input: numberIn(row['forecast_input']),
      off: numberIn(row['forecast_off']),
    },
    charged: {
      requests: numberIn(row['charged_requests']),
      cost: moneyIn(row['charged_cost']),
      unpriced: numberIn(row['charged_unpriced']),
    },
  };
}

function moneyIn(value: SqlValue | undefined): Money {
  return dollarsOf(bigintIn(value));
}
