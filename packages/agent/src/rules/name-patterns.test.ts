// Tests the path patterns of rules. `find` and `grep` share some of the cases. The tests of their globs also check
// these cases (`tools/workspace/src/search/glob.test.ts`).

import { describe, expect, it } from 'vitest';
import { expandBraces } from './expand-braces.ts';
import { couldBePath, isPath, readPathPatterns } from './name-patterns.ts';

function matches(text: string, path: string): boolean {
  const patterns = readPathPatterns(text);
  if (typeof patterns === 'string') throw new Error(patterns);
  return patterns.some((pattern) => isPath(pattern, { path }));
}

describe('a path pattern that allows', () => {
  it.each([
    ['*.ts', 'a.ts', true],
    ['*.ts', 'src/deep/a.ts', true],
    ['*.ts', 'a.tsx', false],
    ['*.ts', '.hidden/.a.ts', true],
    ['*', '.env', true],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/deep/a.ts', false],
    ['src/*.ts', 'packages/src/a.ts', false],
    ['src/**', 'src/deep/a.ts', true],
    ['src/**', 'src', false],
    ['src/', 'src/deep/a.ts', true],
    ['**', 'a', true],
    ['**/test/**/*.js', 'test/a.js', true],
    ['**/test/**/*.js', 'a/test/b/c/d.js', true],
    ['**/test/**/*.js', 'a/tests/d.js', false],
    ['*.{ts,tsx}', 'a.tsx', true],
    ['*.{ts}', 'a.ts', true],
    ['{src,{lib}}/*.ts', 'lib/a.ts', true],
    ['{src,lib/{a,b}}/*.ts', 'lib/b/x.ts', true],
    ['{src,lib/{a,b}}/*.ts', 'lib/c/x.ts', false],
    ['a?c', 'abc', true],
    ['a?c', 'a🌊c', true],
    ['a?c', 'ac', false],
    ['a*b*c', 'aXbYbZc', true],
    ['a*b*c', 'aXbYbZ', false],
    ['**.ts', 'a.ts', true],
    ['src/**/a.ts', 'src/a.ts', true],
  ])('`%s` decides about `%s` as the tools `find` and `grep` do: %s', (pattern, path, expected) => {
    expect(matches(pattern, path)).toBe(expected);
  });
});

it('a pattern with braces that denies covers the folder of each alternative', () => {
  const patterns = readPathPatterns('{keys,secrets/*}/**');
  if (typeof patterns === 'string') throw new Error(patterns);
  const denied = (path: string): boolean => patterns.some((pattern) => couldBePath(pattern, { path }));
  expect([denied('keys'), denied('SECRETS/prod/a.pem'), denied('docs/a.md')]).toEqual([true, true, false]);
});

it.each(['{a,b', 'a,b}', '}{', '{1..3}', '{a,b}{c,d}{e,f}{g,h}{i,j}{k,l}{m,n}'])(
  'a pattern with the braces `%s` is refused',
  (text) => {
    expect(readPathPatterns(text)).toContain('write a simpler pattern');
  },
);

it('`expandBraces` keeps the order of the alternatives', () => {
  expect(expandBraces('a{b,c{d,e}}f')).toEqual(['abf', 'acdf', 'acef']);
});
