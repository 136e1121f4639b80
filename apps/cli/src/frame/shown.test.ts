// Tests the looks of text on a terminal.

import { expect, test } from 'vitest';

import { asciiText, needsAscii } from './ascii-text.ts';
import type { Look } from './shown.ts';
import { render, withStyle } from './shown.ts';

const SHOWN = [withStyle('yellow', '● '), 'wörds │ ', withStyle('green', '✓')];
const dark = (ascii: boolean): Look => ({ colours: 'dark', ascii });

test('a look decides on the colours and the signs', () => {
  expect(render(SHOWN, false)).toBe('● wörds │ ✓');
  expect(render(SHOWN, true)).toBe('\u001b[33m● \u001b[39mwörds │ \u001b[32m✓\u001b[39m');
  expect(render(SHOWN, dark(false))).toBe(render(SHOWN, true));
  expect(render(SHOWN, dark(true))).toBe('\u001b[33m* \u001b[39mwörds | \u001b[32m+\u001b[39m');
  expect(render(SHOWN, { colours: 'none', ascii: true })).toBe('* wörds | +');
});

test('the look for a light background uses neither yellow nor cyan', () => {
  const light: Look = { colours: 'light', ascii: false };
  expect(render([withStyle('yellow', 'a'), withStyle('cyan', 'b'), withStyle('red', 'c')], light)).toBe(
    '\u001b[35ma\u001b[39m\u001b[34mb\u001b[39m\u001b[31mc\u001b[39m',
  );
});

test('`asciiText` keeps the number of characters and the letters of other scripts', () => {
  const text = '✓✗●○•»…│┆─┼→“x”‘y’ 日本 é';
  expect(asciiText(text)).toBe('+x*o*>~|:-+>"x"\'y\' 日本 é');
});

test.each([
  [{ LANG: 'C' }, true],
  [{ LANG: 'en_US.ISO-8859-1' }, true],
  [{ LANG: 'C', LC_ALL: 'de_DE.UTF-8' }, false],
  [{ LANG: 'de_DE.utf8', LC_CTYPE: 'POSIX' }, true],
  [{ LANG: '' }, false],
  [{}, false],
])('`needsAscii` reads the encoding of %j', (environment, expected) => {
  expect(needsAscii(environment)).toBe(expected);
});
