// Tests the list from which the user chooses.

import { expect, test } from 'vitest';

import { matchingOptions, pressChoice, shownOptions } from './choice-list.ts';

const PROMPTS = ['1. fix the tax', '2. add a test', '3. fix the test', '4. release'].map((label) => ({ label }));

test('typing searches for options that contain every word', () => {
  expect(matchingOptions(PROMPTS, 'fix test')).toEqual([2]);
  expect(matchingOptions(PROMPTS, '')).toEqual([0, 1, 2, 3]);
  expect(pressChoice({ marked: 3, search: 'fi' }, { input: 'x' }, PROMPTS)).toEqual({ marked: 2, search: 'fix' });
});

test('arrows move the mark among the options that match', () => {
  const state = { marked: 2, search: 'fix' };
  expect(pressChoice(state, { input: '', name: 'previous' }, PROMPTS)).toEqual({ ...state, marked: 0 });
  expect(pressChoice(state, { input: '', name: 'next' }, PROMPTS)).toEqual(state);
});

test('Enter chooses the marked option, and nothing if no option matches', () => {
  expect(pressChoice({ marked: 1, search: '' }, { input: '', name: 'enter' }, PROMPTS)).toEqual({ chosen: 1 });
  const none = { marked: 1, search: 'xyz' };
  expect(pressChoice(none, { input: '', name: 'enter' }, PROMPTS)).toEqual(none);
});

test('Esc clears the search first, then closes the list', () => {
  expect(pressChoice({ marked: 1, search: 'a' }, { input: '', name: 'escape' }, PROMPTS)).toEqual({
    marked: 1,
    search: '',
  });
  expect(pressChoice({ marked: 1, search: '' }, { input: '', name: 'escape' }, PROMPTS)).toEqual({ chosen: undefined });
});

test('a key of an option chooses it at once', () => {
  const options = [
    { label: 'send', key: 's' },
    { label: 'cancel', key: 'c' },
  ];
  expect(pressChoice({ marked: 0, search: '' }, { input: 'c' }, options)).toEqual({ chosen: 1 });
  expect(pressChoice({ marked: 0, search: '' }, { input: 'x' }, options)).toEqual({ marked: 0, search: '' });
});

test('the shown rows contain the marked option', () => {
  const all = Array.from({ length: 100 }, (_, index) => index);
  expect(shownOptions(all, 99, 5)).toEqual([95, 96, 97, 98, 99]);
  expect(shownOptions(all, 0, 5)).toEqual([0, 1, 2, 3, 4]);
  expect(shownOptions(all, 50, 5)).toContain(50);
});
