import { expect, it } from 'vitest';
import { isBlank } from './text.ts';

it('`isBlank` is true for text that the API strips to an empty string', () => {
  expect(['', ' ', '\n\t', '\u00a0', '\u0085', '\u001c'].map(isBlank)).toEqual(Array(6).fill(true));
  expect(['a', ' . ', '\u200b', '\0'].map(isBlank)).toEqual(Array(4).fill(false));
});
