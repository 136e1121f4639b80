import { expect, test } from 'vitest';

import { foldLine, foldWords } from './fold-line.ts';

test.each([
  ['an empty line', '', 5, ['']],
  ['a line that fits', 'abcde', 5, ['abcde']],
  ['a wide line', 'abcdefg', 3, ['abc', 'def', 'g']],
  ['letters of two columns', '税金税', 4, ['税金', '税']],
  ['pairs of code units', '🙂🙂', 2, ['🙂', '🙂']],
  ['a tab, which takes up to eight', 'a\tb', 8, ['a', '\t', 'b']],
])('`foldLine` returns the pieces of %s', (_what, line, width, pieces) => {
  expect(foldLine(line, width)).toEqual(pieces);
});

test('`foldWords` breaks between words, keeps every character, and breaks a word only if it is longer than a row', () => {
  expect(foldWords('for the rest of it', 7)).toEqual(['for the ', 'rest of ', 'it']);
  expect(foldWords('a verylongword b', 6)).toEqual(['a ', 'verylo', 'ngword ', 'b']);
  for (const width of [1, 2, 5, 40])
    expect(foldWords('日本 for the  rest, 語', width).join('')).toBe('日本 for the  rest, 語');
  expect(foldWords('', 5)).toEqual(['']);
});
