import type { Key } from 'ink';
import { expect, test } from 'vitest';

import { readKeys } from './read-keys.ts';

const NO_KEY: Key = {
  upArrow: false,
  downArrow: false,
  leftArrow: false,
  rightArrow: false,
  pageDown: false,
  pageUp: false,
  home: false,
  end: false,
  return: false,
  escape: false,
  ctrl: false,
  shift: false,
  tab: false,
  backspace: false,
  delete: false,
  meta: false,
  super: false,
  hyper: false,
  capsLock: false,
  numLock: false,
};
const typed = (text: string): unknown => ({ kind: 'edit', command: { edit: 'type', text } });

test('`readKeys` returns a line break for Ctrl-J, Alt-Enter and Shift-Enter, and sends for Enter', () => {
  expect(readKeys('\n', NO_KEY, false)).toEqual([typed('\n')]);
  expect(readKeys('', { ...NO_KEY, return: true, meta: true }, false)).toEqual([typed('\n')]);
  expect(readKeys('', { ...NO_KEY, return: true, shift: true }, false)).toEqual([typed('\n')]);
  expect(readKeys('\r', { ...NO_KEY, return: true }, false)).toEqual([{ kind: 'enter' }]);
});

test('`readKeys` separates characters that arrived together', () => {
  expect(readKeys('ls\r', NO_KEY, false)).toEqual([typed('ls'), { kind: 'enter' }]);
  expect(readKeys('a\u0001b', NO_KEY, false)).toEqual([
    typed('a'),
    { kind: 'edit', command: { edit: 'move', movement: 'line-start' } },
    typed('b'),
  ]);
});

test('`readKeys` returns a paste for a text with a line break inside', () =>
  expect(readKeys('one\rtwo\r', NO_KEY, false)).toEqual([{ kind: 'paste', text: 'one\rtwo\r' }]));

test('`readKeys` returns two Esc for two that arrived together, and none for the release of a key', () => {
  expect(readKeys('', { ...NO_KEY, escape: true, meta: true }, false)).toEqual([
    { kind: 'escape' },
    { kind: 'escape' },
  ]);
  expect(readKeys('a', { ...NO_KEY, eventType: 'release' }, false)).toEqual([]);
});

test('`readKeys` returns the command of the second key after Ctrl-X, and nothing for another key', () => {
  expect(readKeys('e', { ...NO_KEY, ctrl: true }, true)).toEqual([{ kind: 'open-editor' }]);
  expect(readKeys('q', NO_KEY, true)).toEqual([]);
  expect(readKeys('qa', NO_KEY, true)).toEqual([typed('a')]);
  expect(readKeys('a\u0018\u0005b', NO_KEY, false)).toEqual([
    typed('a'),
    { kind: 'prefix' },
    { kind: 'open-editor' },
    typed('b'),
  ]);
});
