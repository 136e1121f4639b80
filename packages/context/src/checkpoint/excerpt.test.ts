import fc from 'fast-check';
import { expect, test } from 'vitest';
import { endOf, excerptAgain, excerptOf, lineOf } from './excerpt.ts';

const SEGMENTER = new Intl.Segmenter('und', { granularity: 'grapheme' });
const graphemes = (text: string): readonly string[] => Array.from(SEGMENTER.segment(text), ({ segment }) => segment);
const grapheme = fc.constantFrom('👨‍👩‍👧‍👦', 'e\u0301', '한', '🇩🇪', 'x', 'word ');
const saying = fc.array(grapheme, { minLength: 1, maxLength: 300 }).map((all) => all.join(''));
/**
 * Random texts that are longer than every excerpt in this test. They have at least 401 graphemes, and an excerpt has at
 * most 400 UTF-16 units.
 */
const long = fc.array(grapheme, { minLength: 401, maxLength: 900 }).map((all) => all.join(''));

test('an excerpt fits its limit, cuts between graphemes and states the length of the omitted part', () => {
  fc.assert(
    fc.property(saying, fc.integer({ min: 40, max: 400 }), (text, most) => {
      const cut = excerptOf(text, most);
      expect(cut.length).toBeLessThanOrEqual(most);
      fc.pre(text.length > most);
      const [, first = '?', missing, second = '?'] = /^(.*) \[…(\d+) left out…\] (.*)$/u.exec(cut) ?? [];
      expect(text.startsWith(first) && text.endsWith(second)).toBe(true);
      expect(first.length + Number(missing) + second.length).toBe(text.length);
      expect([...graphemes(first), ...graphemes(text.slice(first.length))]).toEqual(graphemes(text));
      expect([...graphemes(text.slice(0, text.length - second.length)), ...graphemes(second)]).toEqual(graphemes(text));
    }),
  );
});

test('a text that fits is returned unchanged', () => {
  expect(excerptOf('as it is', 8)).toBe('as it is');
});

test('the excerpt of an excerpt with the same limit is unchanged', () => {
  fc.assert(
    fc.property(saying, fc.integer({ min: 40, max: 400 }), (text, most) => {
      expect(excerptOf(excerptOf(text, most), most)).toBe(excerptOf(text, most));
    }),
  );
});

test('`excerptAgain` states the omitted length in relation to the whole text', () => {
  fc.assert(
    fc.property(long, fc.integer({ min: 40, max: 300 }), fc.integer({ min: 1, max: 100 }), (text, less, more) => {
      const cut = excerptAgain(excerptOf(text, less + more), text.length, less);
      expect(cut.length).toBeLessThanOrEqual(less);
      const [, first = '?', missing, second = '?'] = /^(.*) \[…(\d+) left out…\] (.*)$/u.exec(cut) ?? [];
      expect(text.startsWith(first) && text.endsWith(second)).toBe(true);
      expect(first.length + Number(missing) + second.length).toBe(text.length);
    }),
  );
});

test('`endOf` and `lineOf` cut between graphemes', () => {
  expect(endOf('a 👨‍👩‍👧‍👦 b', 4)).toBe('… b');
  expect(lineOf('a\n\t👨‍👩‍👧‍👦 b', 4)).toBe('a …');
});
