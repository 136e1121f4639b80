import { expect, test } from 'vitest';
import { editOf } from './edited-text.ts';
import { estimateTokens } from './estimate.ts';

const RULES = Array.from({ length: 2_000 }, (_, rule) => `Rule ${rule}: an order that was packed is not changed.`);
const TEXT = RULES.join('\n');

test('an edit of one letter in a long text adds one token', () => {
  const edited = TEXT.replace('Rule 1000:', 'Rula 1000:');
  const { tokens, begins } = editOf(TEXT, edited);
  expect(tokens).toBe(1);
  expect(begins).toBe(estimateTokens(edited.slice(0, edited.indexOf('a 1000:'))));
});

test('two edits far apart add only the lines that they change, not the text between them', () => {
  const edited = TEXT.replace('Rule 10:', 'Rule ten:').replace('Rule 1990:', 'Rule last:');
  expect(editOf(TEXT, edited).tokens).toBeLessThan(3 * estimateTokens(RULES[0] ?? ''));
});

test('a moved line is not new, and an added copy of a line is', () => {
  const [first = '', ...rest] = RULES;
  expect(editOf(TEXT, [...rest, first].join('\n')).tokens).toBe(0);
  const twice = [...RULES.slice(0, 5), RULES[3] ?? '', ...RULES.slice(5)].join('\n');
  expect(editOf(TEXT, twice).tokens).toBeGreaterThan(0);
});

test('copies of a line count as new only beyond the number of copies in the old text', () => {
  const line = RULES[500] ?? '';
  const copies = Array.from({ length: 50 }, () => line);
  const edited = [...RULES.slice(0, 1_000), ...copies, ...RULES.slice(1_000)]
    .join('\n')
    .replace('Rule 10:', 'Rule ten:');
  const added = editOf(TEXT, edited.replace('Rule 1990:', 'Rule last:')).tokens;
  expect(added).toBeGreaterThanOrEqual(50 * estimateTokens(line));
  expect(added).toBeLessThan(54 * estimateTokens(line));
});

test('a text without common parts is new as a whole, and an unchanged text has nothing new', () => {
  expect(editOf(TEXT, 'Be brief.')).toEqual({ tokens: estimateTokens('Be brief'), begins: 0 });
  expect(editOf(TEXT, TEXT)).toMatchObject({ tokens: 0 });
});
