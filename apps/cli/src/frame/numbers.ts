// Numbers as people read them: grouped, short, and never more exact than they are.

let formatter: Intl.NumberFormat | undefined;

/** `12,480`. */
export function formatNumber(value: number): string {
  // Made once, and not at the start: `toLocaleString` makes one for each number, which took most of the time of a long table.
  formatter ??= new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
  return formatter.format(value);
}

/** US dollars: `$0.0429`; the first four digits that matter. */
export function dollars(amount: string | undefined): string {
  if (amount === undefined) return 'unknown price';
  const value = Number(amount);
  return `$${value === 0 ? '0' : value < 1 ? value.toPrecision(3) : value.toFixed(2)}`;
}

/** `4.1%`. */
export function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)}%`;
}

/** `1 step`, `2,000 steps`. */
export function formatCount(count: number, what: string): string {
  return `${formatNumber(count)} ${what}${count === 1 ? '' : 's'}`;
}
