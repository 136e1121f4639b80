// Tests which paths a glob matches.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isProblem } from '../door/arguments.ts';
import type { Glob } from './glob.ts';
import { readGlob } from './glob.ts';

function glob(text: string): Glob {
  const read = readGlob(text);
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
  ])('%s and %s: `matches` returns %s', (pattern, path, named) => {
    expect(glob(pattern).matches(path)).toBe(named);
  });

  it('matches a file by any of its paths, and a leading `!` inverts the result', () => {
    expect(glob('sub/*.ts').matches('src/sub/a.ts', 'sub/a.ts')).toBe(true);
    expect(glob('!sub/*.ts').matches('src/sub/a.ts', 'sub/a.ts')).toBe(false);
  });

  it.each(['', '!', '/', '{a', 'a}', '{a,{b}', '{1,2}{1,2}{1,2}{1,2}{1,2}{1,2}{1,2}', 'a'.repeat(501)])(
    'refuses an invalid glob with a reason: %s',
    (pattern) => expect(readGlob(pattern)).toEqual({ problem: expect.stringMatching(/^glob: /) }),
  );

  it('agrees with an equivalent regular expression for `*` and `?`', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 8 });
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*', '?'), minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(pattern, name, (text, path) => {
        fc.pre(text !== '**' && !text.startsWith('./') && path !== '');
        const same = new RegExp(`^${text.replaceAll('.', '\\.').replaceAll('?', '.').replace(/\*+/g, '.*')}$`);
        expect(glob(text).matches(path)).toBe(same.test(path));
      }),
    );
  });

  it('returns `names` only if ripgrep interprets them in the same way', () => {
    expect(glob('src/**/*.{ts,js}').names).toEqual(['*.ts', '*.js']);
    expect(['src/**', '!*.ts', '[ab].ts', '{a,b/**}'].map((text) => glob(text).names)).toEqual([[], [], [], []]);
  });
});
