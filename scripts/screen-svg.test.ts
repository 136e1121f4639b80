import { expect, test } from 'vitest';

import { screenSvg } from './screen-svg.ts';

const bodyOf = (...rows: readonly string[]): string => screenSvg(rows, 10, 'a screen').split('rx="8"/>\n')[1] ?? '';

test('a picture places each run at its column, with its width in cells', () => {
  expect(bodyOf('ab  c')).toBe(
    '<text class="c16" x="14" y="28" textLength="16.8" lengthAdjust="spacingAndGlyphs">ab</text>\n' +
      '<text class="c16" x="47.6" y="28" textLength="8.4" lengthAdjust="spacingAndGlyphs">c</text>\n</svg>\n',
  );
  expect(bodyOf('日本 x')).toContain('textLength="50.4"');
});

test('a picture has the styles and colours of the escape sequences, and drops links', () => {
  const body = bodyOf(
    '\u001b[1;31mred\u001b[22;39m \u001b]8;;https://x.example\u001b\\link\u001b]8;;\u001b\\',
    '\u001b[7mover\u001b[0m',
  );
  expect(body).toContain('<text class="c1 b"');
  expect(body).toContain('>link</text>');
  expect(body).toContain('<rect class="c16" x="14" y="33" width="33.6" height="19"/><text class="c17"');
});

test('a picture keeps the style of a row until a later row changes it', () => {
  const body = bodyOf('\u001b[31m-a', '-', '\u001b[0mb');
  expect(body.match(/class="c\d+"/g)).toEqual(['class="c1"', 'class="c1"', 'class="c16"']);
});

test('a picture escapes the text of the screen', () => {
  expect(bodyOf('<a & b>')).toContain('>&lt;a &amp; b&gt;</text>');
});

test('a picture refuses a colour outside of the 16 colours', () => {
  expect(() => bodyOf('\u001b[38;5;200mx')).toThrow('the style 38');
});
