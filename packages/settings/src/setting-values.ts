// Schemas of values that several settings have.

import { z } from 'zod';

/** Schema of a short text. */
export const words: z.ZodType<string> = z
  .string()
  .trim()
  .min(1, 'expected a text that is not empty')
  .max(200, 'expected a shorter text');

/** Schema of an address without a user name and password. */
export const address: z.ZodType<string> = z
  .url({ protocol: /^https?$/, error: 'expected an address such as https://example.org' })
  .refine((text) => !text.includes('@'), 'expected an address without a user name and password');

/** Schema of a number above 0. */
export const count: z.ZodType<number> = z.int().positive().max(1e15);

/** Schema of a number that is not negative. */
export const budget: z.ZodType<number> = z.int().min(0).max(1e15);

const DOLLARS = 'expected US dollars as text, such as "0.50"';

/** Schema of an amount in US dollars, as decimal text. */
export const dollars: z.ZodType<string> = z.string(DOLLARS).regex(/^\d{1,9}(\.\d{1,9})?$/, DOLLARS);
