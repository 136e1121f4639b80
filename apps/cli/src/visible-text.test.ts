import { expect, test } from 'vitest';

import { asciiText, shellWord, visibleText } from './visible-text.ts';

test.each([
  ['a right-to-left override', 'a\u202eb', 'a\\u{202e}b'],
  ['an isolate', '\u2066x\u2069', '\\u{2066}x\\u{2069}'],
  ['a terminal escape', '\u001b[2J', '\\u{1b}[2J'],
  ['a C1 control', '\u009b2J', '\\u{9b}2J'],
  ['a line break and a tab', 'a\nb\tc', 'a\\u{a}b\\u{9}c'],
  ['a zero-width space', 'a\u200bb', 'a\\u{200b}b'],
  ['a blank letter', 'a\u3164b', 'a\\u{3164}b'],
  ['a space that is not the usual one', 'a\u00a0b\u2028', 'a\\u{a0}b\\u{2028}'],
  ['a tag character', '\u{e0041}', '\\u{e0041}'],
  ['half of a pair', 'a\ud800', 'a\\u{d800}'],
])('`visibleText` shows %s as an escape', (_what, text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

test('`visibleText` keeps letters, marks and symbols of all scripts', () => {
  const text = 'Steuern, naïve, नमस्ते, 税金, 🙂 "x" \\u{202e}';
  expect(visibleText(text)).toBe(text);
});

test('`asciiText` shows a look-alike letter as an escape', () => {
  expect(asciiText('n\u043ede')).toBe('n\\u{43e}de');
});

test.each([
  ['a plain word bare', './bin/x.js', './bin/x.js'],
  ['an assignment bare', '--port=80', '--port=80'],
  ['no text at all', '', "''"],
  ['a space in quotes', 'a b', "'a b'"],
  ['what a shell would run in quotes', '$(rm -rf ~); x | y & z', "'$(rm -rf ~); x | y & z'"],
  ['a quote escaped', "it's", "$'it\\'s'"],
  ['a backslash doubled', '\\u{202e}', "$'\\\\u{202e}'"],
  ['a line break as \\n', 'a\nb', "$'a\\nb'"],
  ['a bidirectional control as an escape', 'a\u202eb', "$'a\\u{202e}b'"],
  ['a Cyrillic letter as an escape', 'n\u043ede', "$'n\\u{43e}de'"],
])('`shellWord` shows %s', (_what, word, shown) => {
  expect(shellWord(word)).toBe(shown);
});
