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

/** A value with something of it changed, dropped or added, at any depth. */
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

/** Its sizes by name are left to the schema. */
const ASKED = 'compaction.refused';

it.each(KINDS.filter((kind) => kind !== ASKED))('%s goes on as it is: nothing of a payload is copied', (kind) => {
  fc.assert(
    fc.property(EVENTS[kind], ({ data }) => {
      const record = DECODERS[kind](ENVELOPE, data);
      expect('data' in record && record.data === data).toBe(true);
    }),
    { numRuns: 20 },
  );
});

it.each(KINDS)('%s is let through, or refused, as its schema does, whatever was changed', (kind) => {
  fc.assert(
    fc.property(EVENTS[kind], fc.nat(), anyValue, ({ data }, by, to) => {
      const payload = changed(data, by, to);
      // A key that no schema knows brings the schema in, and is left out by it.
      const asked = typeof payload === 'object' && payload !== null ? { ...payload, unheard: 1 } : payload;
      expect(DECODERS[kind](ENVELOPE, payload)).toStrictEqual(DECODERS[kind](ENVELOPE, asked));
    }),
    { numRuns: 200 },
  );
});

it('leaves what it does not know to the schema', () => {
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

it('takes a list for no record, and nothing that is there without a value', () => {
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
