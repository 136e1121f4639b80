import { expect, test } from 'vitest';

import { copySequence, lastCodeBlock } from './copy-text.ts';

const PLAIN = '\u001b]52;c;bsOkaGU=\u0007';

test('`copySequence` returns OSC 52 with the text as base64', () => {
  expect(copySequence('nähe', {})).toBe(PLAIN);
});

test('`copySequence` also passes the sequence through tmux, with each escape doubled', () => {
  expect(copySequence('nähe', { TMUX: '/tmp/tmux-0/default,1,0' })).toBe(
    `${PLAIN}\u001bPtmux;\u001b\u001b]52;c;bsOkaGU=\u0007\u001b\\`,
  );
});

test('`copySequence` passes the sequence through screen in short pieces', () => {
  const text = 'x'.repeat(1_000);
  const pieces = copySequence(text, { STY: '1.pts' }).split('\u001b\\');
  expect(pieces.every((piece) => piece.length <= 258)).toBe(true);
  expect(pieces.map((piece) => piece.slice(2)).join('')).toBe(copySequence(text, {}));
});

test.each([
  ['no code', undefined],
  ['a\n```js\none\n```\nb\n~~~\ntwo\n\n  three\n~~~\nend', 'two\n\n  three'],
  ['````md\n```js\nx\n```\n````', '```js\nx\n```'],
  ['```\ncut off', 'cut off'],
  ['```js\na``` b\n```', 'a``` b'],
])('`lastCodeBlock` of %j is %j', (markdown, code) => {
  expect(lastCodeBlock(markdown)).toBe(code);
});
