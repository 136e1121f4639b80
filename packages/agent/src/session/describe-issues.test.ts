import type { JsonValue } from '@tidemark/model';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { describeIssues } from './describe-issues.ts';

const SCHEMA = z.strictObject({
  path: z.string().min(1),
  offset: z.int().min(1).optional(),
  share: z.number().positive().max(600).optional(),
  depth: z.int().min(1).max(8).optional(),
  whole: z.boolean().optional(),
  digest: z
    .string()
    .regex(/^[0-9a-f]{4}$/)
    .optional(),
  words: z.string().trim().min(1).max(10).optional(),
  ports: z.array(z.int().max(65_535)).max(2).optional(),
  tasks: z.array(z.strictObject({ task: z.string(), status: z.enum(['open', 'done']) })).optional(),
  either: z.union([z.string(), z.number()]).optional(),
  even: z
    .int()
    .refine((value) => value % 2 === 0, 'pass an even number')
    .optional(),
});

function problemOf(given: unknown): string | undefined {
  const { error } = SCHEMA.safeParse(given);
  const json: JsonValue = JSON.parse(JSON.stringify(z.toJSONSchema(SCHEMA, { io: 'input' })));
  return error && describeIssues(error.issues, json, given);
}

test.each<[object, string]>([
  [{ path: 'a', offset: 'x' }, '`offset` must be an integer ≥ 1, got "x"'],
  [{ path: 'a', offset: 1.5 }, '`offset` must be an integer ≥ 1, got 1.5'],
  [{ path: 'a', offset: null }, '`offset` must be an integer ≥ 1, got null; omit it if it is not needed'],
  [{ path: null }, '`path` must be a string that is not empty, got null'],
  [{ path: 'a', depth: 9 }, '`depth` must be an integer ≥ 1 and ≤ 8, got 9'],
  [{ path: 'a', share: 0 }, '`share` must be a number > 0 and ≤ 600, got 0'],
  [{ path: 'a', whole: 'true' }, '`whole` must be true or false, got "true"'],
  [{ path: 5 }, '`path` must be a string that is not empty, got 5'],
  [{ path: '' }, '`path` must be a string that is not empty, got ""'],
  [{ path: 'a', words: '' }, '`words` must be a string of at least 1 and at most 10 characters, got ""'],
  [{ path: 'a', words: '  ' }, '`words` must be a string that is not blank, got "  "'],
  [
    { path: 'a', words: 'eleven long' },
    '`words` must be a string of at least 1 and at most 10 characters, got "eleven long"',
  ],
  [{ path: 'a', digest: 'xy' }, '`digest` must be a string that matches ^[0-9a-f]{4}$, got "xy"'],
  [{ path: 'a', ports: [1, 2, 3] }, '`ports` must be an array of at most 2 items, got an array of 3'],
  [{ path: 'a', ports: ['1'] }, '`ports[0]` must be an integer ≤ 65535, got "1"'],
  [{ path: 'a', ports: {} }, '`ports` must be an array of at most 2 items, got an object'],
  [
    { path: 'a', tasks: [{ task: 'b', status: 'Done' }] },
    '`tasks[0].status` must be one of "open", "done", got "Done"',
  ],
  [{ path: 'a', either: true }, '`either` does not match its JSON Schema, got true'],
])('the text for %j names the expected and the given value', (given, text) => expect(problemOf(given)).toBe(text));

test('the text for a missing value reports that the value is missing, and the value to pass', () => {
  expect(problemOf({})).toBe('`path` is missing: it must be a string that is not empty');
});

test('the text for an unknown field names the field that was probably meant', () => {
  expect(problemOf({ path: 'a', ofset: 1 })).toBe('there is no field `ofset` (did you mean `offset`?)');
  expect(problemOf({ path: 'a', tasks: [{ task: 'b', status: 'open', note: 1 }] })).toBe(
    '`tasks[0]` has no field `note`',
  );
});

test('several issues are listed one after the other', () => {
  expect(problemOf({ path: 5, depth: 9 })).toMatch(/^`path` must be .*; `depth` must be /);
});

test('a text that the author of the schema wrote is kept, with its path', () => {
  expect(problemOf({ path: 'a', even: 3 })).toBe('`even`: pass an even number');
});

test('a long string is described by its length, so no part of a secret is shown', () => {
  expect(problemOf({ path: 'a', offset: 'k'.repeat(500) })).toBe(
    '`offset` must be an integer ≥ 1, got a string of 500 characters',
  );
});

test('an issue that the JSON Schema does not contain keeps the message of the library', () => {
  const issue = { message: 'Invalid input: expected string', path: ['a', 'b'] };
  expect(describeIssues([issue], { type: 'object' }, { a: { b: 1 } })).toBe('`a.b`: Invalid input: expected string');
});
