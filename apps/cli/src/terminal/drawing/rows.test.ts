// Tests how lines become rows of a terminal.

import { expect, test } from 'vitest';

import { withStyle } from '../../frame/shown.ts';
import { codeLine } from '../state/line.ts';
import { rowsOf } from './rows.ts';

test('an indented line is broken between words, and its indentation is repeated', () => {
  expect(rowsOf(['  one two three four'], 12, false)).toEqual(['  one two', '  three four']);
});

test('the second column of an indented line hangs, with its styles', () => {
  const line = [withStyle('cyan', '  Enter  '), withStyle('dim', 'send the text of the editor')];
  expect(rowsOf([line], 24, false)).toEqual(['  Enter  send the text', '         of the editor']);
  expect(rowsOf([line], 24, true)).toEqual([
    '\u001b[36m  Enter  \u001b[39m\u001b[2msend the text\u001b[22m',
    '         \u001b[2mof the editor\u001b[22m',
  ]);
  const dim = rowsOf([withStyle('dim', '  Enter  send the text of the editor')], 24, true);
  expect(dim[1]).toBe('         \u001b[2mof the editor\u001b[22m');
});

test('the second column of a table without indentation hangs, and two spaces after a sentence begin no column', () => {
  expect(rowsOf(['share   100%  of them were written'], 20, false)).toEqual([
    'share   100%  of',
    '        them were',
    '        written',
  ]);
  expect(rowsOf(['It is.  Two words more here'], 20, false)).toEqual(['It is.  Two words', 'more here']);
});

test('a word that is longer than a row is broken after a slash, or after another sign', () => {
  const path = '/home/ann/work/shop/src/orders/total-of-order.test.ts';
  expect(rowsOf([`cannot read ${path}`], 30, false)).toEqual([
    'cannot read',
    '/home/ann/work/shop/src/',
    'orders/total-of-order.test.ts',
  ]);
  expect(rowsOf([withStyle('red', 'x'.repeat(25))], 10, false)).toEqual(['xxxxxxxxxx', 'xxxxxxxxxx', 'xxxxx']);
  expect(rowsOf([withStyle('red', 'aaaaaaaaa-bbbb')], 10, true)).toEqual([
    '\u001b[31maaaaaaaaa-\u001b[39m',
    '\u001b[31mbbbb\u001b[39m',
  ]);
});

test('a line of an output is broken at the edge of the terminal, and keeps its spaces', () => {
  expect(rowsOf([codeLine('  one   two three')], 10, false)).toEqual(['  one   tw', 'o three']);
});
