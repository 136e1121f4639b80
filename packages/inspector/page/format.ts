// Numbers, amounts and times for people.

const COUNT = new Intl.NumberFormat('en-US');

/** Formats a whole number: `11,132`. */
export function count(value: number): string {
  return COUNT.format(value);
}

/** Formats a number with its noun: `1 call`, `2 calls`. */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** Formats an amount in US dollars. An unknown amount is `unknown`. */
export function dollars(amount: number | string | null): string {
  if (amount === null) return 'unknown';
  const value = Number(amount);
  const size = Math.abs(value);
  if (size === 0) return '$0';
  if (size < 0.01) return `${value < 0 ? '-' : ''}$${size.toFixed(Math.min(12, 1 - Math.floor(Math.log10(size))))}`;
  return `${value < 0 ? '-' : ''}$${size.toFixed(size < 1 ? 4 : 2).replace(/\B(?=(\d{3})+\.)/g, ',')}`;
}

/** Formats billionths of a US dollar. */
export function billionths(amount: number | null): string {
  return dollars(amount === null ? null : amount / 1e9);
}

/** Formats a share between 0 and 1: `93.4%`. Without a value, `none`. */
export function percent(share: number | null): string {
  return share === null ? 'none' : `${(share * 100).toFixed(share === 1 || share === 0 ? 0 : 1)}%`;
}

const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

/** Formats a duration in milliseconds with at most two units: `2 h 5 min`, `6 min 30 s`, `1.5 s`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 9_950) return `${(milliseconds / 1_000).toFixed(1)} s`;
  const parts: string[] = [];
  let rest = Math.round(milliseconds / 1_000) * 1_000;
  for (const [size, unit] of UNITS) {
    if (rest >= size) parts.push(`${Math.floor(rest / size)} ${unit}`);
    rest %= size;
  }
  return parts.slice(0, 2).join(' ');
}

/** Formats a time in UTC: `2026-11-20 10:00`, with seconds if asked. */
export function time(at: string, seconds = false): string {
  return at.slice(0, seconds ? 19 : 16).replace('T', ' ');
}
