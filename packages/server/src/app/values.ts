// Schemas of single values: ids, times and amounts of the log, which have their own types.

import { z } from '@hono/zod-openapi';
import type { CallId, Chain, Digest, Money, Position, SessionId, Timestamp } from '@tidemark/log';
import { callId, chain, digest, money, position, sessionId, timestamp } from '@tidemark/log';

export const SESSION_ID: z.ZodType<SessionId> = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, 'is not an id of a session')
  .transform(sessionId);

export const POSITION: z.ZodType<Position> = z.int().nonnegative().transform(position);
export const CALL_ID: z.ZodType<CallId> = z.string().transform(callId);
export const CHAIN: z.ZodType<Chain> = z.string().transform(chain);
export const DIGEST: z.ZodType<Digest> = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'is not a digest')
  .transform(digest);
export const TIMESTAMP: z.ZodType<Timestamp> = z.string().transform(timestamp);

/** Amount in US dollars as an exact decimal in a string. */
export const MONEY: z.ZodType<Money> = z.string().transform(money);

/** Whole number in a query, from 0 on. */
export const COUNT: z.ZodType<number> = z.preprocess(
  (text) => (typeof text === 'string' ? Number(text) : text),
  z.int().nonnegative(),
);

/** Times of RFC 3339: seconds with or without a fraction, in UTC or with an offset. */
const RFC_3339 =
  /^\d{4}-\d\d-\d\d[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Day in UTC such as `2026-11-20`, or a time of RFC 3339, which becomes a time in UTC with milliseconds. */
export const DAY_OR_TIME: z.ZodType<string> = z
  .string()
  .max(50)
  .refine((text) => /^\d{4}-\d\d-\d\d$/.test(text) || RFC_3339.test(text), {
    message: 'is not a day such as `2026-11-20` or a time such as `2026-11-20T09:30:00Z`',
    abort: true,
  })
  .refine(isInCalendar, 'is not a day of the calendar')
  .transform((text) => (text.length === 10 ? text : new Date(text.toUpperCase()).toISOString()));

/**
 * Returns false for a month 13, for 30 February, which `Date` takes for a day in March, and for a time that is outside
 * of the years 0 to 9999 in UTC.
 */
function isInCalendar(text: string): boolean {
  const [day, time] = [new Date(text.slice(0, 10)), new Date(text.toUpperCase())];
  if (Number.isNaN(day.getTime()) || Number.isNaN(time.getTime())) return false;
  return day.toISOString().startsWith(text.slice(0, 10)) && /^\d{4}-/.test(time.toISOString());
}
