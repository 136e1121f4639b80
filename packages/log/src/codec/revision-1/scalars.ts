// The smallest pieces of a payload: brands, JSON, counts. Frozen after the first release.

import type { Json } from '@tidemark/core';
import { z } from 'zod';
import type { CallId, Chain, Digest, Money, Position, SessionId, Timestamp } from '../../ids.ts';

/** One schema for each field of `T`, none forgotten: a field without one would be lost in silence (L6). */
export type PayloadShape<T> = {
  readonly [K in keyof T]-?: Partial<Pick<T, K>> extends Pick<T, K>
    ? z.ZodExactOptional<z.ZodType<Required<T>[K]>>
    : z.ZodType<T[K]>;
};

function branded<T extends string>(pattern: RegExp, name: string): z.ZodType<T> {
  return z.custom<T>((value) => typeof value === 'string' && pattern.test(value), { error: `expected ${name}` });
}

export const sessionId: z.ZodType<SessionId> = branded(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, 'a session id');
export const callId: z.ZodType<CallId> = branded(/[^]/, 'a call id');
export const digest: z.ZodType<Digest> = branded(/^[0-9a-f]{64}$/, 'a SHA-256 digest');
export const chain: z.ZodType<Chain> = branded(/^[0-9a-f]{16}$/, 'a chain digest');
export const money: z.ZodType<Money> = branded(/^-?\d+(\.\d+)?$/, 'a plain decimal');
export const timestamp: z.ZodType<Timestamp> = branded(
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  'a moment in UTC with milliseconds',
);

export const position: z.ZodType<Position> = z.custom<Position>(
  (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0,
  { error: 'expected a position' },
);

/** Any JSON value. What JSON cannot hold is refused by the canonical writer. */
export const json: z.ZodType<Json> = z.custom<Json>((value) => value !== undefined, { error: 'expected a JSON value' });
/** Any JSON values by name. */
export const jsonRecord: z.ZodType<{ readonly [name: string]: Json }> = z.custom<{ readonly [name: string]: Json }>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  { error: 'expected JSON values by name' },
);

export const text: z.ZodType<string> = z.string();
export const number: z.ZodType<number> = z.number();
export const flag: z.ZodType<boolean> = z.boolean();

/** A field that may be absent, and is never `undefined`. */
export function optional<T>(schema: z.ZodType<T>): z.ZodExactOptional<z.ZodType<T>> {
  return z.exactOptional(schema);
}
