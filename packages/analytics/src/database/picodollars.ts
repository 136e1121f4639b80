// Amounts of money as integers, so that sums of a database are exact.

import type { Money } from '@tidemark/log';
import { money } from '@tidemark/log';
import { Decimal } from 'decimal.js';

/** Amount of US dollars as an integer number of picodollars (10^-12), so that sums of the database are exact. */
export type Picodollars = number;

/**
 * Converts US dollars. Amounts with more than 12 decimals are rounded to the nearest picodollar. Returns `null` for an
 * amount above 9007 dollars, which no call costs: its counts are wrong, and sums with it would not be exact.
 */
export function picodollars(amount: Money): Picodollars | null {
  if (amount === '0') return 0;
  const pico = new Decimal(amount).times(PICO).round().toNumber();
  return Number.isSafeInteger(pico) ? pico : null;
}

/** Converts a sum of picodollars to US dollars, as an exact decimal. */
export function dollarsOf(sum: bigint): Money {
  return money(new Decimal(sum.toString()).div(PICO).toFixed());
}

const PICO = '1e12';
