// Schemas of the catalog's data, used only by `parse-catalog.ts`. They refuse unknown keys. A misspelt field in a
// user's override is therefore an error and is not ignored.

import { z } from 'zod';

import type { Capabilities, PriceList } from './capabilities.ts';
import type { Catalog } from './catalog.ts';

const name = z.string().min(1);
const count = z.int().nonnegative();
const decimal = z.string().regex(/^\d+(\.\d+)?$/, 'expected a decimal as text, such as "0.25"');
const day = z.string().regex(/^\d{4}-\d\d-\d\d$/, 'expected a day as YYYY-MM-DD');
const month = z.string().regex(/^\d{4}-\d\d(-\d\d)?$/, 'expected a day as YYYY-MM-DD, or a month as YYYY-MM');
const lostFrom = z.enum(['tools', 'system', 'messages']);

const price = z.strictObject({
  input: decimal,
  output: decimal,
  read: decimal.exactOptional(),
  writes: z.strictObject({
    '5m': decimal.exactOptional(),
    '1h': decimal.exactOptional(),
    '30m': decimal.exactOptional(),
    '12h': decimal.exactOptional(),
  }),
});

const tiers = z
  .array(z.strictObject({ above: count, price }))
  .min(1)
  .refine((list) => list[0]?.above === 0, 'the first tier must have "above": 0')
  .refine((list) => ascends(list.map((tier) => tier.above)), 'tiers must be in ascending order of "above"');

const prices: z.ZodType<PriceList[]> = z
  .array(z.strictObject({ from: day, tiers }))
  .refine((list) => ascends(list.map((one) => one.from)), 'price lists must be in ascending order of "from"');

const lives = { idle: count, age: count.exactOptional() };
const implicit = z.discriminatedUnion('at', [
  z.strictObject({ at: z.literal('endings'), ...lives, lookup: count }),
  z.strictObject({ at: z.literal('grid'), ...lives, first: count, step: z.int().positive() }),
]);

const images = z.strictObject({
  side: z.int().positive().exactOptional(),
  count: z.discriminatedUnion('by', [
    z.strictObject({
      by: z.literal('patches'),
      size: z.int().positive(),
      most: z.int().positive().exactOptional(),
      each: z.number().positive().exactOptional(),
    }),
    z.strictObject({ by: z.literal('tiles'), base: count, each: count }),
  ]),
});

const row = z.strictObject({
  provider: name,
  model: name,
  aliases: z.array(name),
  inputLimit: count,
  window: z.strictObject({ tokens: count, sharedWithOutput: z.enum(['refused', 'stops', 'no']) }),
  outputLimit: count,
  floor: count.exactOptional(),
  markers: z.enum(['explicit', 'implicit', 'pass-through', 'none', 'unknown']),
  implicit: implicit.exactOptional(),
  routing: z.enum(['automatic', 'by-key']).exactOptional(),
  slots: count,
  lookback: count,
  runsCollapse: z.boolean(),
  ttls: z.array(z.enum(['5m', '1h', '30m', '12h'])),
  renderParameters: z.record(name, lostFrom),
  defaults: z.record(name, name).exactOptional(),
  thinkingStripped: z.enum(['at-new-turn', 'never']),
  prefixCheck: z.boolean(),
  reasoningInLoop: z.literal('required').exactOptional(),
  appends: z.array(z.enum(['system', 'reasoning', 'tools', 'tool-additions'])),
  prefill: z.boolean(),
  forcedToolChoice: z.boolean(),
  requestBytes: count.exactOptional(),
  images: z.union([z.literal('none'), images]).exactOptional(),
  prewarm: z.boolean(),
  diagnoses: z.literal(true).exactOptional(),
  promotes: z.union([z.enum(['unverified', 'no']), z.strictObject({ verified: day })]),
  prices,
  source: name,
  asOf: month,
  notes: name.exactOptional(),
});

/** Schema of one complete row. */
export const rowSchema: z.ZodType<Capabilities> = row;

/** Schema of the whole catalog file. */
export const catalogSchema: z.ZodType<Catalog> = z.strictObject({
  revision: z.literal(1),
  asOf: day,
  rows: z.array(row).superRefine((rows, context) => {
    for (const [index, twice] of namesTwice(rows)) {
      context.addIssue({ code: 'custom', path: [index], message: `the name ${twice} is already used by another row` });
    }
  }),
});

/** Schema of a user's changes: rows named by provider and model, with only the fields that differ. */
export const overridesSchema: z.ZodType<Overrides> = z.strictObject({
  revision: z.literal(1),
  rows: z.array(row.partial().required({ provider: true, model: true })),
});

/** Content of a user's override file after validation. */
export interface Overrides {
  readonly revision: 1;
  readonly rows: readonly RowChange[];
}

/** Provider and model of a row, with new values for some of its fields. */
export type RowChange = { readonly provider: string; readonly model: string } & {
  readonly [field in keyof Capabilities]?: Capabilities[field] | undefined;
};

function ascends(values: readonly number[] | readonly string[]): boolean {
  return values.every((value, index) => {
    const before = values[index - 1];
    return before === undefined || before < value;
  });
}

function namesTwice(rows: readonly Capabilities[]): [number, string][] {
  const seen = new Set<string>();
  const twice: [number, string][] = [];
  for (const [index, { provider, model, aliases }] of rows.entries()) {
    for (const one of new Set([model, ...aliases])) {
      const key = `${provider}/${one}`;
      if (seen.has(key)) twice.push([index, key]);
      seen.add(key);
    }
  }
  return twice;
}
