import { expect, test } from 'vitest';

import { render, withStyle } from '../../frame/shown.ts';
import { capturedLines } from './captured-lines.ts';

test('`capturedLines` returns the lines that were printed, with their styles', () => {
  const printed = ['cost ', withStyle('bold', '$0.12'), '\n', withStyle('red', 'two\nlines'), ' end'];
  const lines = capturedLines(`${render(printed, true)}\n\n`);
  expect(lines).toHaveLength(3);
  expect(lines.map((line) => render(line, true)).join('\n')).toBe(
    render(
      ['cost ', withStyle('bold', '$0.12'), '\n', withStyle('red', 'two'), '\n', withStyle('red', 'lines'), ' end'],
      true,
    ),
  );
});

test('`capturedLines` keeps no other escape sequence on the screen', () => {
  expect(capturedLines('a\u001b[2Jb\u001b]52;c;eA==\u0007c').map((line) => render(line, true))).toEqual(['abc']);
});

test('`capturedLines` returns no line for an empty output', () => {
  expect(capturedLines('\n')).toEqual([]);
});
