// Lines of a width, and the ends of what is too long.

import { expect, test } from 'vitest';

import { cutWords, wrapWords } from './wrap-words.ts';

test.each([
  ['the tax of a line', 8, ['the tax', 'of a', 'line']],
  ['  two   spaces\n and a line ', 40, ['two spaces and a line']],
  ['a-very-long-word in it', 6, ['a-very-long-word', 'in it']],
  ['\u001b[31mred\u001b[0m', 8, ['red']],
  ['', 8, ['']],
])('breaks %j to lines of %d characters between words', (text, width, lines) => {
  expect(wrapWords(text, width)).toEqual(lines);
});

test('a text that is too long ends in its room', () => {
  expect(cutWords('read the tax table', 9)).toBe('read the…');
  expect(cutWords('read', 4)).toBe('read');
});
