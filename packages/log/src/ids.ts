// The branded names of things. They are born only here, from text that was checked, so that a call id can never
// stand where a session id is meant.

declare const brand: unique symbol;
type Brand<Base, Name extends string> = Base & { readonly [brand]: Name };

/** A session: 1 to 128 characters of `[A-Za-z0-9._-]`, starting with a letter or digit; safe as a folder name. */
export type SessionId = Brand<string, 'SessionId'>;
/** A turn within its session. */
export type TurnId = Brand<string, 'TurnId'>;
/** A tool call, as the provider named it. */
export type CallId = Brand<string, 'CallId'>;
/** The 0-based place of an event in its log. */
export type Position = Brand<number, 'Position'>;
/** SHA-256 in lower-case hex, 64 characters. */
export type Digest = Brand<string, 'Digest'>;
/** The running chain digest of a log: 16 lower-case hex characters. */
export type Chain = Brand<string, 'Chain'>;
/** RFC 3339 in UTC with milliseconds: `2026-11-20T09:30:00.000Z`. */
export type Timestamp = Brand<string, 'Timestamp'>;
/** US dollars as an exact decimal: `0.0429`. Never a float. */
export type Money = Brand<string, 'Money'>;

/** The chain before the first record. */
export const CHAIN_START: Chain = '0000000000000000' as Chain;

const SESSION = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const DIGEST = /^[0-9a-f]{64}$/;
const CHAIN = /^[0-9a-f]{16}$/;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const MONEY = /^-?\d+(\.\d+)?$/;

/** @throws TypeError when the text is no session id. */
export function sessionId(text: string): SessionId {
  if (!SESSION.test(text)) throw new TypeError(`not a session id: ${JSON.stringify(text)}`);
  return text as SessionId;
}

/** @throws TypeError when the text is empty. */
export function turnId(text: string): TurnId {
  if (text === '') throw new TypeError('a turn id is never empty');
  return text as TurnId;
}

/** @throws TypeError when the text is empty. */
export function callId(text: string): CallId {
  if (text === '') throw new TypeError('a call id is never empty');
  return text as CallId;
}

/** @throws TypeError when the number is no non-negative integer. */
export function position(value: number): Position {
  if (!Number.isSafeInteger(value) || value < 0) throw new TypeError(`not a position: ${value}`);
  return value as Position;
}

/** @throws TypeError when the text is not 64 lower-case hex characters. */
export function digest(text: string): Digest {
  if (!DIGEST.test(text)) throw new TypeError(`not a SHA-256 digest: ${JSON.stringify(text)}`);
  return text as Digest;
}

/** @throws TypeError when the text is not 16 lower-case hex characters. */
export function chain(text: string): Chain {
  if (!CHAIN.test(text)) throw new TypeError(`not a chain digest: ${JSON.stringify(text)}`);
  return text as Chain;
}

/** @throws TypeError when the text is not `YYYY-MM-DDTHH:MM:SS.mmmZ`. */
export function timestamp(text: string): Timestamp {
  if (!TIMESTAMP.test(text)) throw new TypeError(`not a timestamp in UTC with milliseconds: ${JSON.stringify(text)}`);
  return text as Timestamp;
}

/** @throws TypeError when the text is no plain decimal. */
export function money(text: string): Money {
  if (!MONEY.test(text)) throw new TypeError(`not a plain decimal: ${JSON.stringify(text)}`);
  return text as Money;
}

// Time without a clock: what a timestamp of the log says, as a number.

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
