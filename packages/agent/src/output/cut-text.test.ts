import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { headOf, tailOf } from './shape-output.ts';

const FAMILY = '👨‍👩‍👧‍👦';
const text = fc
  .array(
    fc.oneof(fc.string({ unit: 'grapheme', maxLength: 20 }), fc.constantFrom('\n', '\r\n', FAMILY, 'e\u0301', '한국')),
  )
  .map((pieces) => pieces.join(''));
const limits = fc.record({ bytes: fc.nat({ max: 120 }), lines: fc.nat({ max: 6 }) });

const graphemes = (one: string): readonly string[] =>
  Array.from(new Intl.Segmenter('und', { granularity: 'grapheme' }).segment(one), ({ segment }) => segment);
const linesOf = (one: string): readonly string[] => one.split(/(?<=\n)/);

describe.each([
  { end: 'head', cut: headOf },
  { end: 'tail', cut: tailOf },
])('the $end of a text', ({ end, cut }) => {
  it('is the first or the last part of the text, within the limits', () => {
    fc.assert(
      fc.property(text, limits, (one, most) => {
        const kept = cut(one, most).text;
        expect(end === 'head' ? one.startsWith(kept) : one.endsWith(kept)).toBe(true);
        expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(most.bytes);
        expect(kept === '' ? 0 : linesOf(kept).length).toBeLessThanOrEqual(most.lines);
      }),
    );
  });

  it('splits no grapheme', () => {
    fc.assert(
      fc.property(text, limits, (one, most) => {
        const kept = graphemes(cut(one, most).text);
        const all = graphemes(one);
        expect(kept).toEqual(end === 'head' ? all.slice(0, kept.length) : all.slice(all.length - kept.length));
      }),
    );
  });

  it('contains whole lines, unless a single line exceeds the limit', () => {
    fc.assert(
      fc.property(text, limits, (one, most) => {
        const { text: kept, unit } = cut(one, most);
        const all = linesOf(one);
        const tooLong = all.some((line) => Buffer.byteLength(line) > most.bytes);
        if (unit === 'bytes') expect(tooLong).toBe(true);
        else if (kept !== '') {
          const lines = linesOf(kept);
          expect(lines).toEqual(end === 'head' ? all.slice(0, lines.length) : all.slice(-lines.length));
        }
      }),
    );
  });

  it('is the whole text if the text fits', () => {
    const one = `first\n${FAMILY}\nlast`;
    expect(cut(one, { bytes: Buffer.byteLength(one), lines: 3 })).toEqual({ text: one, unit: 'lines' });
  });
});
