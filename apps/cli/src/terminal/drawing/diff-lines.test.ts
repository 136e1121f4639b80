// Tests the lines of a diff: no character is dropped unseen, and long diffs and lines are cut.

import { expect, test } from 'vitest';

import { render } from '../../frame/shown.ts';
import { diffLines } from './diff-lines.ts';

const textOf = (diff: string, most = Infinity): readonly string[] =>
  diffLines(diff, most, 'Ctrl-O shows all').map((line) => render(line, false));

test('invisible and bidirectional characters of an edit are marked', () => {
  expect(textOf('+evil\u202E and \u200Bhere')).toEqual(['+evil⟨U+202E⟩ and ⟨U+200B⟩here']);
});

test('the line ends of a file with CRLF are not marked', () => {
  expect(textOf('-a\r\n+b\r')).toEqual(['-a', '+b⟨U+000D⟩']);
});

test('a diff of more lines than allowed ends with the number of lines that are left out', () => {
  expect(textOf('+1\n+2\n+3', 2)).toEqual(['+1', '… 2 more lines, Ctrl-O shows all']);
});

test('a line of a shortened diff is cut', () => {
  expect(textOf(`+${'a'.repeat(3_000)}`, 5)[0]).toHaveLength(2_001);
});
