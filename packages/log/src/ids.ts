// Branded ids and values. They are created only here, from checked text, so a call id can never be used as a session
// id.

declare const brand: unique symbol;
type Brand<Base, Name extends string> = Base & { readonly [brand]: Name };

/**
 * Session id: 1 to 128 characters of `[A-Za-z0-9._-]`, starting with a letter or digit. It is safe as a folder name.
 */
export type SessionId = Brand<string, 'SessionId'>;
/** Id of a turn, unique within its session. */
export type TurnId = Brand<string, 'TurnId'>;
/** Id of a tool call, as the provider returned it. */
export type CallId = Brand<string, 'CallId'>;
/** 0-based index of an event in its log. */
export type Position = Brand<number, 'Position'>;
/** SHA-256 in lower-case hex, 64 characters. */
export type Digest = Brand<string, 'Digest'>;
/** Running chain digest of a log: 16 lower-case hex characters. */
export type Chain = Brand<string, 'Chain'>;
/** Timestamp in RFC 3339 format, in UTC with milliseconds: `2026-11-20T09:30:00.000Z`. */
export type Timestamp = Brand<string, 'Timestamp'>;
/** Amount in US dollars as an exact decimal: `0.0429`. It is never a float. */
export type Money = Brand<string, 'Money'>;

/** Chain value before the first record. */
export const CHAIN_START: Chain = '0000000000000000' as Chain;

const SESSION = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const DIGEST = /^[0-9a-f]{64}$/;
const CHAIN = /^[0-9a-f]{16}$/;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const MONEY = /^-?\d+(\.\d+)?$/;

/**
 * Checks and brands a session id.
 *
 * @throws TypeError when the text is not a valid session id.
 */
export function sessionId(text: string): SessionId {
  if (!SESSION.test(text)) throw new TypeError(`not a session id: ${JSON.stringify(text)}`);
  return text as SessionId;
}

/**
 * Checks and brands a turn id.
 *
 * @throws TypeError when the text is empty.
 */
export function turnId(text: string): TurnId {
  if (text === '') throw new TypeError('a turn id cannot be empty');
  return text as TurnId;
}

/**
 * Checks and brands a call id.
 *
 * @throws TypeError when the text is empty.
 */
export function callId(text: string): CallId {
  if (text === '') throw new TypeError('a call id cannot be empty');
  return text as CallId;
}

/**
 * Checks and brands a position.
 *
 * @throws TypeError when the number is not a safe integer, or is negative.
 */
export function position(value: number): Position {
  if (!Number.isSafeInteger(value) || value < 0) throw new TypeError(`not a position: ${value}`);
  return value as Position;
}

/**
 * Checks and brands a SHA-256 digest.
 *
 * @throws TypeError when the text is not 64 lower-case hex characters.
 */
export function digest(text: string): Digest {
  if (!DIGEST.test(text)) throw new TypeError(`not a SHA-256 digest: ${JSON.stringify(text)}`);
  return text as Digest;
}

/**
 * Checks and brands a chain digest.
 *
 * @throws TypeError when the text is not 16 lower-case hex characters.
 */
export function chain(text: string): Chain {
  if (!CHAIN.test(text)) throw new TypeError(`not a chain digest: ${JSON.stringify(text)}`);
  return text as Chain;
}

/**
 * Checks and brands a timestamp. Only the format is checked, so an impossible date is accepted.
 *
 * @throws TypeError when the text is not `YYYY-MM-DDTHH:MM:SS.mmmZ`.
 */
export function timestamp(text: string): Timestamp {
  if (!TIMESTAMP.test(text)) throw new TypeError(`not a timestamp in UTC with milliseconds: ${JSON.stringify(text)}`);
  return text as Timestamp;
}

/**
 * Checks and brands an amount of money.
 *
 * @throws TypeError when the text is not a plain decimal.
 */
export function money(text: string): Money {
  if (!MONEY.test(text)) throw new TypeError(`not a plain decimal: ${JSON.stringify(text)}`);
  return text as Money;
}

// The next functions convert a timestamp to a number without `Date`, which this package must not use.

const DAY_MS = 86_400_000;
const ZERO = 0x30;

/**
 * Returns the milliseconds since 1970 of a timestamp. The result is exact, because the log uses neither time zones nor
 * leap seconds.
 */
export function milliseconds(at: Timestamp): number {
  const time =
    digits(at, 11, 13) * 3_600_000 + digits(at, 14, 16) * 60_000 + digits(at, 17, 19) * 1000 + digits(at, 20, 23);
  return daysSince1970(digits(at, 0, 4), digits(at, 5, 7), digits(at, 8, 10)) * DAY_MS + time;
}

/**
 * Reads a decimal number from the timestamp, from the character at `start` (inclusive) to `end` (exclusive). It creates
 * no substrings, because the fold converts several timestamps for each call to a model.
 */
function digits(at: Timestamp, start: number, end: number): number {
  let value = 0;
  for (let index = start; index < end; index += 1) value = value * 10 + at.charCodeAt(index) - ZERO;
  return value;
}

/**
 * Returns the days since 1970-01-01 in the proleptic Gregorian calendar. Years are counted from March, so the leap day
 * is the last day of its year.
 */
function daysSince1970(year: number, month: number, day: number): number {
  const years = month > 2 ? year : year - 1;
  const months = (month + 9) % 12;
  const leaps = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400);
  return years * 365 + leaps + Math.floor((months * 306 + 5) / 10) + day - 1 - 719_468;
}
