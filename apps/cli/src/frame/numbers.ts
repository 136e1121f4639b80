// Formats numbers for people. The thousands are separated, and digits that are not significant are left out.

let formatter: Intl.NumberFormat | undefined;

/** Formats a number without decimals, with separated thousands: `12,480`. */
export function formatNumber(value: number): string {
  // The formatter is created only at the first use. `toLocaleString` creates a formatter for every number. This took
  // most of the time for a long table.
  formatter ??= new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
  return formatter.format(value);
}

/**
 * Formats US dollars. Amounts below one dollar have three significant digits (`$0.0429`). Larger amounts have two
 * decimals. If the amount is `undefined`, returns `unknown price`.
 */
export function dollars(amount: string | undefined): string {
  if (amount === undefined) return 'unknown price';
  const value = Number(amount);
  return `$${value === 0 ? '0' : value < 1 ? value.toPrecision(3) : value.toFixed(2)}`;
}

/** Formats a share as a percentage with one decimal: `4.1%`. If the whole is 0, returns `–`. */
export function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)}%`;
}

/** Formats a count with its noun: `1 step`, `2,000 steps`. */
export function formatCount(count: number, what: string): string {
  return `${formatNumber(count)} ${what}${count === 1 ? '' : 's'}`;
}
