// Claims about the texts for issues of a schema. The issues have the form that zod 4 gives them.

import { describe, expect, it } from 'vitest';
import type { SchemaIssue } from './issue-text.ts';
import { issuePlace, issueText } from './issue-text.ts';

const given = { limit: '5', names: ['a', 7], size: 0, empty: '', more: null, other: Number.NaN };

const LINES: readonly (readonly [name: string, issue: SchemaIssue, line: string])[] = [
  [
    'a wrong type',
    {
      code: 'invalid_type',
      expected: 'number',
      path: ['limit'],
      message: 'Invalid input: expected number, received string',
    },
    'limit: expected a number, received a string',
  ],
  [
    'a wrong type in a list',
    { code: 'invalid_type', expected: 'string', path: ['names', 1], message: 'Invalid input: expected string' },
    'names.1: expected a string, received a number',
  ],
  [
    'null',
    { code: 'invalid_type', expected: 'array', path: ['more'], message: 'Invalid input: expected array' },
    'more: expected a list, received null',
  ],
  [
    'a number that is not a number',
    { code: 'invalid_type', expected: 'number', path: ['other'], message: 'Invalid input: expected number' },
    'other: expected a number, received NaN',
  ],
  [
    'a value that is missing',
    { code: 'invalid_type', expected: 'boolean', path: ['all'], message: 'Invalid input: expected boolean' },
    'all: is missing: expected true or false',
  ],
  [
    'a number that is too small',
    { code: 'too_small', origin: 'number', minimum: 0, inclusive: false, path: ['size'], message: 'Too small' },
    'size: expected more than 0',
  ],
  [
    'a text that is too short',
    { code: 'too_small', origin: 'string', minimum: 1, path: ['empty'], message: 'Too small: expected string' },
    'empty: expected at least 1 character',
  ],
  [
    'a list that is too long',
    { code: 'too_big', origin: 'array', maximum: 1, inclusive: true, path: ['names'], message: 'Too big: expected' },
    'names: expected at most 1 item',
  ],
  [
    'a value that is none of several',
    { code: 'invalid_value', values: ['a', 3], path: ['limit'], message: 'Invalid option: expected' },
    'limit: expected one of "a", 3',
  ],
  [
    'names that the schema does not have',
    { code: 'unrecognized_keys', keys: ['limti'], path: [], message: 'Unrecognized key: "limti"' },
    'unknown name "limti"',
  ],
  [
    "the text of the schema's author",
    { code: 'custom', path: ['names'], message: 'expected a cell such as B12' },
    'names: expected a cell such as B12',
  ],
  [
    'an issue of another library',
    { path: [{ key: 'names' }, { key: 0 }], message: 'Must be long' },
    'names.0: Must be long',
  ],
];

describe('`issuePlace` and `issueText`', () => {
  it.each(LINES)('describe %s', (_, issue, line) => {
    const place = issuePlace(issue);
    expect(`${place}${place === '' ? '' : ': '}${issueText(issue, given)}`).toBe(line);
  });
});
