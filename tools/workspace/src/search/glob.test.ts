// Tests which paths a glob matches.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isProblem } from '../door/arguments.ts';
import type { Glob } from './glob.ts';
import { readGlob } from './glob.ts';

async function glob(text: string): Promise<Glob> {
  const read = await readGlob(text);
  if (isProblem(read)) throw new Error(read.problem);
  return read;
}

describe('`readGlob`', () => {
  it.each([
    ['*.ts', 'a.ts', true],
    ['*.ts', 'src/deep/a.ts', true],
    ['*.ts', 'a.tsx', false],
    ['*.ts', '.hidden/.a.ts', true],
    ['*', '.env', true],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/deep/a.ts', false],
    ['src/*.ts', 'packages/src/a.ts', false],
    ['./src/*.ts', 'src/a.ts', true],
    ['/src/*.ts', 'src/a.ts', true],
    ['src/**', 'src/deep/a.ts', true],
    ['src/', 'src/deep/a.ts', true],
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
    ['[a-c]*', 'beta', true],
    ['[!a-c]*', 'beta', false],
    ['[]x]*', ']x', true],
    ['\\*.md', '*.md', true],
    ['\\*.md', 'a.md', false],
    ['file.md', 'fileXmd', false],
    ['!*.test.ts', 'src/a.ts', true],
    ['!*.test.ts', 'src/a.test.ts', false],
    ['a*b*c', 'aXbYbZc', true],
    ['a*b*c', 'aXbYbZ', false],
    ['**.ts', 'a.ts', true],
    ['über*', 'übermut', true],
    ['#a', '#a', true],
    ['@(a|b)', '@(a|b)', true],
    ['+(a)', 'aa', false],
    ['a!b', 'a!b', true],
    ['**/.git/**', 'a/.git/config', true],
    ['src/**/a.ts', 'src/a.ts', true],
    ['src/**', 'src', false],
  ])('%s and %s: `matches` returns %s', async (pattern, path, named) => {
    expect((await glob(pattern)).matches(path)).toBe(named);
  });

  it('matches a file if any of its paths matches, and a leading `!` inverts the result', async () => {
    expect((await glob('sub/*.ts')).matches('src/sub/a.ts', 'sub/a.ts')).toBe(true);
    expect((await glob('!sub/*.ts')).matches('src/sub/a.ts', 'sub/a.ts')).toBe(false);
  });

  it.each(['', '!', '/', '{a', 'a}', '{a,{b}', '{1,2}{1,2}{1,2}{1,2}{1,2}{1,2}{1,2}', 'a'.repeat(501)])(
    'refuses an invalid glob with a reason: %s',
    async (pattern) =>
      expect(await readGlob(pattern)).toEqual({
        problem: expect.stringMatching(/^(`glob`|The braces of `glob`) .*\. Pass a /),
      }),
  );

  it('agrees with an equivalent regular expression for `*` and `?`', async () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 8 });
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*', '?'), minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(pattern, name, async (text, path) => {
        // No file has the name `.` or `..`.
        fc.pre(text !== '**' && !text.startsWith('./') && !['', '.', '..'].includes(path));
        const same = new RegExp(`^${text.replaceAll('.', '\\.').replaceAll('?', '.').replace(/\*+/g, '.*')}$`);
        expect((await glob(text)).matches(path)).toBe(same.test(path));
      }),
    );
  });

  it('returns `names` only if ripgrep interprets them in the same way', async () => {
    expect((await glob('src/**/*.{ts,js}')).names).toEqual(['*.ts', '*.js']);
    for (const text of ['src/**', '!*.ts', '[ab].ts', '{a,b/**}', 'src/']) expect((await glob(text)).names).toEqual([]);
  });

  it('returns at once for patterns on which a backtracking matcher would never finish', async () => {
    const names = 'a'.repeat(1_000);
    const folders = 'a/'.repeat(500);
    for (const pattern of ['*a'.repeat(240), '?*'.repeat(240), '*[ab]'.repeat(99), '{*a*a,*b*a}*a*a*a*a*a*a*a*a'])
      expect((await glob(`${pattern}Z`)).matches(names)).toBe(false);
    for (const pattern of ['**/a/'.repeat(99), '**/*a*/'.repeat(70)])
      expect((await glob(`${pattern}Z`)).matches(folders)).toBe(false);
  });
});
