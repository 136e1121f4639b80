// Adds up the rows of one write by their names, so that the totals are changed once for each name.

import type { TotalKey } from './session-rows.ts';
import { ACCOUNT_COLUMNS } from './account-columns.ts';

/** Change of the totals of one key: the number of rows, and the values of the account's columns. */
export interface TotalChange {
  readonly key: TotalKey;
  readonly values: readonly bigint[];
}

/** Changes of totals. */
export interface TotalChanges {
  /** Adds a row with `sign` 1, or takes it away with `sign` -1. */
  add(key: TotalKey, account: readonly number[], sign: 1 | -1): void;
  all(): readonly TotalChange[];
}

/** Begins without any change. */
export function beginTotals(): TotalChanges {
  const sums = new Map<string, { readonly key: TotalKey; readonly values: bigint[] }>();
  return {
    add(key, account, sign) {
      const { day, provider, model, contract, cause, charge } = key;
      const name = [day, provider, model, contract, cause, charge].join('\n');
      let sum = sums.get(name);
      if (sum === undefined) {
        sum = { key, values: Array.from({ length: 1 + ACCOUNT_COLUMNS.length }, () => 0n) };
        sums.set(name, sum);
      }
      const { values } = sum;
      values[0] = (values[0] ?? 0n) + BigInt(sign);
      for (const [index, value] of account.entries())
        if (value !== 0) values[index + 1] = (values[index + 1] ?? 0n) + BigInt(value) * BigInt(sign);
    },
    all: () => [...sums.values()].filter(({ values }) => values.some((value) => value !== 0n)),
  };
}
