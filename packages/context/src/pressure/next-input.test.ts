import { position } from '@tidemark/log';
import { expect, test } from 'vitest';
import type { TestEvent } from '../../tests/log-of.ts';
import { answer, created, fold, prompt, text, turn } from '../../tests/log-of.ts';
import { turnGrowth } from './next-input.ts';

/** Returns the events of a turn with `words` words. Each word is about one token. */
function turnOf(words: number): readonly TestEvent[] {
  return [turn, prompt('go on'), answer([text('seen '.repeat(words))])];
}

function growth(...words: readonly number[]): number | undefined {
  return turnGrowth(fold([created, ...words.flatMap(turnOf), turn, prompt('and now')]));
}

test('`turnGrowth` returns the median growth of the last three turns', () => {
  const [small = 0, middle = 0, large = 0] = [growth(100), growth(1_000), growth(9_000)];
  expect(small).toBeGreaterThan(90);
  expect(large).toBeGreaterThan(5 * middle);
  expect(growth(100, 1_000, 9_000)).toBe(middle);
  expect(growth(9_000, 9_000, 100, 100, 9_000)).toBe(small);
});

test('`turnGrowth` is unknown before the first whole turn', () => {
  expect(growth()).toBeUndefined();
  expect(turnGrowth(fold([created]))).toBeUndefined();
});

test('`turnGrowth` ignores a turn that a checkpoint partly covers', () => {
  const events = [created, ...turnOf(100), ...turnOf(9_000)];
  const range = { from: position(0), to: position(events.length - 1) };
  const compacted: TestEvent = [
    'history.compacted',
    { range, strategy: 'deterministic', trigger: 'manual', checkpoint: 'So far.', limitations: [] },
  ];
  const state = fold([...events, compacted]);
  expect(turnGrowth(fold([turn, prompt('and now')], state))).toBeUndefined();
  expect(turnGrowth(fold([...turnOf(100), turn, prompt('again')], state))).toBe(growth(100));
});
