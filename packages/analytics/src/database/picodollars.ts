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
  return exactPicodollars(amount) ?? roundedPicodollars(amount);
}

/** Converts most amounts much faster than with decimals. Returns `undefined` for the others. */
function exactPicodollars(amount: Money): Picodollars | undefined {
  const point = amount.indexOf('.');
  const decimals = point === -1 ? 0 : amount.length - point - 1;
  const digits = point === -1 ? amount : amount.slice(0, point) + amount.slice(point + 1);
  if (decimals > DECIMALS || digits.length + DECIMALS - decimals > SAFE_DIGITS || amount.startsWith('-'))
    return undefined;
  return Number(digits.padEnd(digits.length + DECIMALS - decimals, '0'));
}

const DECIMALS = 12;
/** Every integer with this number of digits is a safe integer. */
const SAFE_DIGITS = 15;

function roundedPicodollars(amount: Money): Picodollars | null {
  const pico = new Decimal(amount).times(PICO).round().toNumber();
  return Number.isSafeInteger(pico) ? pico : null;
}

/** Converts a sum of picodollars to US dollars, as an exact decimal. */
export function dollarsOf(sum: bigint): Money {
  const digits = (sum < 0n ? -sum : sum).toString().padStart(DECIMALS + 1, '0');
  const decimals = digits.slice(-DECIMALS).replace(/0+$/, '');
  return money(`${sum < 0n ? '-' : ''}${digits.slice(0, -DECIMALS)}${decimals === '' ? '' : `.${decimals}`}`);
}

const PICO = '1e12';
