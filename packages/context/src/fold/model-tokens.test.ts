import { expect, test } from 'vitest';
import { quotedScale } from './model-tokens.ts';

const WORDS = 'word '.repeat(100).trim();

test('`quotedScale` returns the mean of the scales of the quoted texts, weighted by tokens', () => {
  const text = `## Steps\n- [4] returned\n  > ${WORDS}\n- [9] said: ${WORDS}`;
  const scale = quotedScale(text, (position) => ({ 4: 0.5, 9: 1.5 })[position ?? -1] ?? 1);
  expect(scale).toBeCloseTo(1, 1);
  expect(quotedScale(text, (position) => (position === undefined ? 1 : 0.5))).toBeLessThan(0.52);
});

test('`quotedScale` assigns all quoted lines to the position above them, even lines that look like items', () => {
  const asked: (number | undefined)[] = [];
  quotedScale(
    '- [4] returned\n  > - [9] a list\n  > ## [7]\n  >\n  > end\n\n## Risks\n- [5] none\n## Summary, up to [6]\n  > it',
    (at) => {
      asked.push(at);
      return 1;
    },
  );
  expect(asked).toEqual([4, undefined, 5, 6]);
});

test('`quotedScale` returns the scale of new text for a text without quotations', () => {
  expect(quotedScale('Nothing is quoted here.', () => 0.8)).toBeCloseTo(0.8, 10);
  expect(quotedScale('', () => 0.8)).toBe(0.8);
});
