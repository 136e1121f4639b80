import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isServerName, toolName } from './tool-name.ts';

const SERVER = /[a-zA-Z0-9-]{1,8}(_[a-zA-Z0-9-]{1,8}){0,2}/;
const server = fc.stringMatching(new RegExp(`^${SERVER.source}$`));
const tool = fc.oneof(fc.stringMatching(/^[a-z_-]{1,40}$/), fc.string({ minLength: 1, maxLength: 90 }));

test('a plain name consists of the server name and the tool name', () => {
  expect(toolName('files', 'read_file')).toBe('files__read_file');
});

test('all providers accept every name', () => {
  fc.assert(
    fc.property(server, tool, (from, name) => {
      expect(toolName(from, name)).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    }),
  );
});

test('two different tools always have different names', () => {
  fc.assert(
    fc.property(server, tool, server, tool, (a, b, c, d) => {
      fc.pre(a !== c || b !== d);
      expect(toolName(a, b)).not.toBe(toolName(c, d));
    }),
  );
  const near = [
    ['a', 'b__c'],
    ['a', '_b__c'],
    ['a_b', 'c'],
    ['a', 'b.c'],
    ['a', 'b/c'],
    ['a', `${'x'.repeat(70)}1`],
    ['a', `${'x'.repeat(70)}2`],
  ] as const;
  expect(new Set(near.map(([from, name]) => toolName(from, name))).size).toBe(near.length);
});

test.each(['', 'a__b', '_a', 'a_', 'a.b', 'x'.repeat(33)])('%j is not a valid server name', (name) => {
  expect(isServerName(name)).toBe(false);
});
