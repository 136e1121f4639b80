import { expect, test } from 'vitest';

import { asciiText, shellWord } from './shell-word.ts';

test('`asciiText` prints a look-alike letter as an escape', () => {
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
])('`shellWord` prints %s', (_what, word, shown) => {
  expect(shellWord(word)).toBe(shown);
});
