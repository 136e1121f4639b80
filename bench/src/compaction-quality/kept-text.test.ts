import { expect, test } from 'vitest';

import type { LaterNeeded } from './facts.ts';
import { laterNeeded } from './facts.ts';
import { isFoundByReading, isKept, readKept } from './kept-text.ts';
import { input, result, words } from './made-pieces.ts';

const HISTORY = [
  words('The colours of a border come from getThinkingBorder, as the user wants.'),
  input('read', { path: 'src/theme.ts' }),
  result('read', '  12→export function loadTheme(name: string) {\n  13→  return 48113;', 'src/theme.ts'),
  result('read', 'export function loadOther() {', 'src/other.ts'),
];
const AFTER = [input('bash', { command: 'x getThinkingBorder loadTheme loadOther 48113 src/theme.ts' })];
const NEEDED: LaterNeeded = laterNeeded(HISTORY, AFTER);

function keptIn(...lines: readonly string[]): readonly string[] {
  const kept = readKept([words(lines.join('\n'))]);
  return NEEDED.facts.filter((fact) => isKept(fact, kept, NEEDED.places)).map(({ text }) => text);
}

test('the whole history holds every fact', () => {
  const kept = readKept(HISTORY);
  expect(NEEDED.facts.filter((fact) => !isKept(fact, kept, NEEDED.places))).toEqual([]);
  expect(NEEDED.facts).toHaveLength(5);
});

test('a fact counts in its own line, even if the line is quoted, indented or inside a longer line', () => {
  expect(keptIn('  > export function  loadTheme(name: string) {')).toEqual(['loadTheme']);
  const text = 'Its last words: "The colours of a border come from getThinkingBorder, as the user wants."';
  expect(keptIn(text)).toEqual(['getThinkingBorder']);
});

test('a fact in another line does not count', () => {
  expect(keptIn('Use getThinkingBorder and loadTheme.', 'The port was 48113.')).toEqual([]);
});

test('a list of bare identifiers does not count, whether on many lines or on one', () => {
  const names = NEEDED.facts.map(({ text }) => text);
  expect(keptIn(...names)).toEqual([]);
  expect(keptIn(...names.map((name) => `- [12] ${name}`))).toEqual([]);
  expect(keptIn([...names, 'src/other.ts'].join(', '))).toEqual([]);
});

test('a line with a path and a symbol of that file holds both', () => {
  expect(keptIn('- src/theme.ts: loadTheme')).toEqual(['src/theme.ts', 'loadTheme']);
  expect(keptIn('- theme.ts: loadTheme')).toEqual(['loadTheme']);
  expect(keptIn('- src/theme.ts: loadOther')).toEqual([]);
});

test('an argument that was a whole line counts in a line that names its tool', () => {
  expect(keptIn('- Read src/theme.ts')).toEqual(['src/theme.ts']);
  expect(keptIn('- src/theme.ts')).toEqual([]);
  expect(keptIn('- Read src/theme.ts, src/other.ts')).toEqual([]);
});

test('a fact can be found by reading again if the path of its file was kept in any form', () => {
  const found = (line: string): readonly string[] =>
    NEEDED.facts.filter((fact) => isFoundByReading(fact, readKept([words(line)]))).map(({ text }) => text);
  expect(found('- src/theme.ts')).toEqual(['loadTheme', '48113']);
  expect(found('- src/none.ts')).toEqual([]);
});
