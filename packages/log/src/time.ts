// Time without a clock: what a timestamp of the log says, as a number.

import type { Timestamp } from './ids.ts';

const DAY_MS = 86_400_000;

/** Milliseconds since 1970 of a timestamp. Exact: the log knows no time zones and no leap seconds. */
export function milliseconds(at: Timestamp): number {
  const part = (start: number, end: number): number => Number(at.slice(start, end));
  const time = part(11, 13) * 3_600_000 + part(14, 16) * 60_000 + part(17, 19) * 1000 + part(20, 23);
  return daysSince1970(part(0, 4), part(5, 7), part(8, 10)) * DAY_MS + time;
}

/** Counts from March on, so that the leap day is the last of its year (proleptic Gregorian calendar). */
function daysSince1970(year: number, month: number, day: number): number {
  const years = month > 2 ? year : year - 1;
  const months = (month + 9) % 12;
  const leaps = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400);
  return years * 365 + leaps + Math.floor((months * 306 + 5) / 10) + day - 1 - 719_468;
}
