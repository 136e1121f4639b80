// Formats numbers for people: with separated thousands, short, and without digits that are not significant.

let formatter: Intl.NumberFormat | undefined;

/** Formats a number without decimals, with separated thousands: `12,480`. */
export function formatNumber(value: number): string {
  // The formatter is created once, at the first use. `toLocaleString` creates one per number, which took most of the
  // time of a long table.
  formatter ??= new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
  return formatter.format(value);
}

/**
 * Formats US dollars. Amounts below one dollar have three significant digits (`$0.0429`), larger ones two decimals.
 * Without an amount, returns `unknown price`.
 */
export function dollars(amount: string | undefined): string {
  if (amount === undefined) return 'unknown price';
  const value = Number(amount);
  return `$${value === 0 ? '0' : value < 1 ? value.toPrecision(3) : value.toFixed(2)}`;
}

/** Formats a share with one decimal: `4.1%`. Returns `–` if the whole is 0. */
export function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)}%`;
}

/** Formats a count with its noun: `1 step`, `2,000 steps`. */
export function formatCount(count: number, what: string): string {
  return `${formatNumber(count)} ${what}${count === 1 ? '' : 's'}`;
}
