// Time without a clock: what a timestamp of the log says, as a number.

import type { Timestamp } from './ids.ts';

const DAY_MS = 86_400_000;
const ZERO = 0x30;

/** Milliseconds since 1970 of a timestamp. Exact: the log knows no time zones and no leap seconds. */
export function milliseconds(at: Timestamp): number {
  const time =
    digits(at, 11, 13) * 3_600_000 + digits(at, 14, 16) * 60_000 + digits(at, 17, 19) * 1000 + digits(at, 20, 23);
  return daysSince1970(digits(at, 0, 4), digits(at, 5, 7), digits(at, 8, 10)) * DAY_MS + time;
}

/** Without pieces of text: the fold asks for the time several times for each call. */
function digits(at: Timestamp, start: number, end: number): number {
  let value = 0;
  for (let index = start; index < end; index += 1) value = value * 10 + at.charCodeAt(index) - ZERO;
  return value;
}

/** Counts from March on, so that the leap day is the last of its year (proleptic Gregorian calendar). */
function daysSince1970(year: number, month: number, day: number): number {
  const years = month > 2 ? year : year - 1;
  const months = (month + 9) % 12;
  const leaps = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400);
  return years * 365 + leaps + Math.floor((months * 306 + 5) / 10) + day - 1 - 719_468;
}
