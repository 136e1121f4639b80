import { position } from '@tidemark/log';
import { expect, test } from 'vitest';
import type { Told } from '../../tests/log-of.ts';
import { answer, created, fold, prompt, text, turn } from '../../tests/log-of.ts';
import { turnGrowth } from './next-input.ts';

/** A turn of so many words, and about as many tokens. */
function turnOf(words: number): readonly Told[] {
  return [turn, prompt('go on'), answer([text('seen '.repeat(words))])];
}

function growth(...words: readonly number[]): number | undefined {
  return turnGrowth(fold([created, ...words.flatMap(turnOf), turn, prompt('and now')]));
}

test('a turn is expected to grow as the median of the last three turns did', () => {
  const [small = 0, middle = 0, large = 0] = [growth(100), growth(1_000), growth(9_000)];
  expect(small).toBeGreaterThan(90);
  expect(large).toBeGreaterThan(5 * middle);
  expect(growth(100, 1_000, 9_000)).toBe(middle);
  expect(growth(9_000, 9_000, 100, 100, 9_000)).toBe(small);
});

test('no growth is known before a whole turn', () => {
  expect(growth()).toBeUndefined();
  expect(turnGrowth(fold([created]))).toBeUndefined();
});

test('a turn that stands in a checkpoint in part does not count', () => {
  const told = [created, ...turnOf(100), ...turnOf(9_000)];
  const range = { from: position(0), to: position(told.length - 1) };
  const compacted: Told = [
    'history.compacted',
    { range, strategy: 'deterministic', trigger: 'manual', checkpoint: 'So far.', limitations: [] },
  ];
  const state = fold([...told, compacted]);
  expect(turnGrowth(fold([turn, prompt('and now')], state))).toBeUndefined();
  expect(turnGrowth(fold([...turnOf(100), turn, prompt('again')], state))).toBe(growth(100));
});
