// Tests wrapping text into lines, and cutting text that is too long.

import { expect, test } from 'vitest';

import { cutWords, wrapWords } from './wrap-words.ts';

test.each([
  ['the tax of a line', 8, ['the tax', 'of a', 'line']],
  ['  two   spaces\n and a line ', 40, ['two spaces and a line']],
  ['a-very-long-word in it', 6, ['a-very-long-word', 'in it']],
  ['\u001b[31mred\u001b[0m', 8, ['red']],
  ['', 8, ['']],
])('`wrapWords` breaks %j between words into lines of %d characters', (text, width, lines) => {
  expect(wrapWords(text, width)).toEqual(lines);
});

test('`cutWords` shortens a long text to the given length', () => {
  expect(cutWords('read the tax table', 9)).toBe('read the…');
  expect(cutWords('read', 4)).toBe('read');
});
