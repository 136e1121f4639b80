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
