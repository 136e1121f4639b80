import { expect, test } from 'vitest';

import { splitWords } from './split-words.ts';

test.each([
  ['', []],
  ['  one  two\nthree ', ['one', 'two', 'three']],
  ['--title "a b" c', ['--title', 'a b', 'c']],
  [`it's`, [`it's`]],
  [`'a "b"' "c \\"d\\""`, ['a "b"', 'c "d"']],
  ['a\\ b', ['a b']],
  ['--by="a b"', ['--by=a b']],
  ['""', ['']],
  ['tax 名前 "ü ö"', ['tax', '名前', 'ü ö']],
])('`splitWords` splits %j into %j', (text, words) => {
  expect(splitWords(text)).toEqual(words);
});
