import { expect, test } from 'vitest';

import { foldLine } from './fold-line.ts';

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
