import fc from 'fast-check';
import { expect, test } from 'vitest';
import { graphemeAt, graphemesOf } from './text.ts';

const SEGMENTER = new Intl.Segmenter('und', { granularity: 'grapheme' });

/**
 * Letters, and characters that join with their neighbours: marks, joiners, flags, jamo, a prepended sign, line ends.
 */
const unit = fc.constantFrom(
  'a',
  'b',
  ' ',
  '~',
  '\u0301',
  '\u200d',
  '👩',
  '💻',
  '🇫',
  '🇷',
  'ᄀ',
  'ᅡ',
  '\u0600',
  '\r',
  '\n',
  'é',
  '\ud83d',
);

test('`graphemeAt` finds the same grapheme as `Intl.Segmenter` at every unit, in ASCII and in other text', () => {
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 12 }), fc.integer({ min: -1, max: 20 }), (text, at) => {
      const found = SEGMENTER.segment(text).containing(at);
      expect(graphemeAt(text, at)).toEqual(
        found === undefined ? undefined : expect.objectContaining({ index: found.index, segment: found.segment }),
      );
    }),
    { numRuns: 5_000 },
  );
});

test('`graphemesOf` returns every grapheme of a text, in order', () => {
  expect(Array.from(graphemesOf('ae\u0301👩\u200d💻\r\n'), ({ segment }) => segment)).toEqual([
    'a',
    'e\u0301',
    '👩\u200d💻',
    '\r\n',
  ]);
});
