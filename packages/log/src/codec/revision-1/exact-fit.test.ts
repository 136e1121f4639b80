import fc from 'fast-check';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { EVENTS } from '../../../contract/arbitrary-event.ts';
import { CHAIN_START, position, timestamp } from '../../ids.ts';
import type { RecordEnvelope } from './decoder.ts';
import { exactFit, optional } from './decoder.ts';
import { DECODERS, KINDS } from './decoders.ts';

const ENVELOPE: RecordEnvelope = {
  v: 1,
  position: position(7),
  at: timestamp('2026-11-21T09:00:00.000Z'),
  fence: 1,
  turn: undefined,
  chain: CHAIN_START,
};

/**
 * Returns a copy of a value with one entry changed, dropped or added at some depth. `by` selects the entry and the
 * change.
 */
function changed(value: unknown, by: number, to: unknown): unknown {
  if (typeof value !== 'object' || value === null) return to;
  const keys = Object.keys(value);
  const key = keys[by % (keys.length + 1)];
  const copy: Record<string, unknown> = { ...value };
  if (key === undefined) copy['later'] = to;
  else if (by % 5 === 0) delete copy[key];
  else copy[key] = changed(copy[key], Math.floor(by / 7), to);
  return Array.isArray(value) ? Object.values(copy) : copy;
}

const anyValue = fc.oneof(
  fc.jsonValue({ maxDepth: 1 }),
  fc.constantFrom(undefined, Number.NaN, Infinity, [], {}, '', 'text', -1, 0.5, 'later'),
);

/**
 * Kind whose payload always fails the fast check, because the check does not support the schema of the `sizes` field.
 */
const ASKED = 'compaction.refused';

it.each(KINDS.filter((kind) => kind !== ASKED))('a valid %s payload is returned without a copy', (kind) => {
  fc.assert(
    fc.property(EVENTS[kind], ({ data }) => {
      const record = DECODERS[kind](ENVELOPE, data);
      expect('data' in record && record.data === data).toBe(true);
    }),
    { numRuns: 20 },
  );
});

it.each(KINDS)('a changed %s payload gets the same result from the fast check as from its schema', (kind) => {
  fc.assert(
    fc.property(EVENTS[kind], fc.nat(), anyValue, ({ data }, by, to) => {
      const payload = changed(data, by, to);
      // An unknown key makes the fast check fail, so the schema parses this value and drops the key.
      const asked = typeof payload === 'object' && payload !== null ? { ...payload, unheard: 1 } : payload;
      expect(DECODERS[kind](ENVELOPE, payload)).toStrictEqual(DECODERS[kind](ENVELOPE, asked));
    }),
    { numRuns: 200 },
  );
});

it('the fast check is false for every schema type that it does not support', () => {
  for (const schema of [
    z.string().min(2),
    z.coerce.number(),
    z.array(z.string()).max(1),
    z.union([z.string(), z.null()]),
  ]) {
    expect(exactFit<unknown>(schema)(['a', 'b'])).toBe(false);
    expect(exactFit<unknown>(schema)('1')).toBe(false);
  }
});

it('the fast check refuses an array in place of a record, and a key with the value `undefined`', () => {
  const fits = exactFit<unknown>(z.object({ a: optional(z.string()) }));
  expect([{}, { a: 'x' }, [], { a: undefined }, null, { b: 1 }].map(fits)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});
