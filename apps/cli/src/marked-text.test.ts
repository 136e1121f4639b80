import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { markedText } from './marked-text.ts';

describe('markedText', () => {
  test.each([
    ['a zero-width space', 'rm -rf \u200B/tmp', 'rm -rf ⟨U+200B⟩/tmp'],
    ['a joiner', 'a\u200Db', 'a⟨U+200D⟩b'],
    ['bidirectional controls', 'a\u202Eb\u2066c\u2069', 'a⟨U+202E⟩b⟨U+2066⟩c⟨U+2069⟩'],
    ['a soft hyphen', 'pass\u00ADword', 'pass⟨U+00AD⟩word'],
    ['variation selectors', '❤\uFE0F\u{E0100}', '❤⟨U+FE0F⟩⟨U+E0100⟩'],
    ['tags', 'x\u{E0041}\u{E007F}', 'x⟨U+E0041⟩⟨U+E007F⟩'],
    ['controls and escapes', 'a\x1b[31mb\r\b\x7f\x9b', 'a⟨U+001B⟩[31mb⟨U+000D⟩⟨U+0008⟩⟨U+007F⟩⟨U+009B⟩'],
    ['blanks that are no space', 'a\u00A0b\u3000c\u2800d\u3164e', 'a⟨U+00A0⟩b⟨U+3000⟩c⟨U+2800⟩d⟨U+3164⟩e'],
    ['line breaks that are no line feed', 'a\u2028b\u2029c\u0085', 'a⟨U+2028⟩b⟨U+2029⟩c⟨U+0085⟩'],
    ['a mark of byte order', '\uFEFFa', '⟨U+FEFF⟩a'],
    ['a lone surrogate', 'a\uD800b', 'a⟨U+D800⟩b'],
  ])('shows %s by its code point, and drops none', (_, text, shown) => expect(markedText(text)).toBe(shown));

  test.each([
    ['Cyrillic', 'curl p\u0430ypal.com', 'curl p\u0430⟨U+0430⟩ypal.com'],
    ['Greek', 'g\u03BFogle', 'g\u03BF⟨U+03BF⟩ogle'],
    ['Armenian', 'n\u0585de', 'n\u0585⟨U+0585⟩de'],
    ['fullwidth', 'r\uFF4D x', 'r\uFF4D⟨U+FF4D⟩ x'],
    ['mathematical', '\u{1D42B}m', '\u{1D42B}⟨U+1D42B⟩m'],
    ['a mathematical word', '\u{1D42B}\u{1D426}', '\u{1D42B}⟨U+1D42B⟩\u{1D426}⟨U+1D426⟩'],
    ['a ligature', '\uFB01le', '\uFB01⟨U+FB01⟩le'],
    ['small capitals and IPA', '\u0261it', '\u0261⟨U+0261⟩it'],
    [
      'a whole label of twins',
      'https://\u0430\u0440\u0440\u04CF\u0435.com',
      'https://\u0430⟨U+0430⟩\u0440⟨U+0440⟩\u0440⟨U+0440⟩\u04CF⟨U+04CF⟩\u0435⟨U+0435⟩.com',
    ],
    ['a slash that is none', 'src\u2215app', 'src\u2215⟨U+2215⟩app'],
  ])('marks a letter that looks like a Latin one inside Latin words: %s', (_, text, shown) =>
    expect(markedText(text)).toBe(shown),
  );

  test.each([
    '// Комментарий по-русски: всё остаётся как есть, со словом README рядом',
    'const приветствие = "Здравствуй, мир";',
    '// 日本語のコメント、Reactを使う。ＡＢＣ',
    '# Ελληνικά σχόλια',
    'هذا تعليق',
    'naïve café Straße İstanbul Łódź ệ e\u0301',
    'const x = 1;\treturn [a, b] // plain → “quoted” – dash …',
    '한국어 주석',
    'docs/руководство.md',
    '😀 ✓ ± ½ m² µs',
  ])('leaves text of one script as it is: %s', (text) => expect(markedText(text)).toBe(text));

  test('marks the bracket of a mark that stands in the text itself', () =>
    expect(markedText('a⟨U+200B⟩ ⟨x⟩')).toBe('a⟨U+27E8⟩U+200B⟩ ⟨x⟩'));

  test('gives the text back when the marks are taken away, and holds nothing unseen', () => {
    const chars = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('a', 'а', 'ａ', '\u200B', '⟨', 'U+', ' ', '日') }),
    );
    fc.assert(
      fc.property(chars, (text) => {
        const shown = markedText(text);
        expect(shown).not.toMatch(/(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u);
        const unseen = /(?![\t\n ])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]|⟨/u;
        const back = shown.replace(/⟨U\+([0-9A-F]+)⟩/g, (_, hex: string) => {
          const char = String.fromCodePoint(Number.parseInt(hex, 16));
          return unseen.test(char) ? char : '';
        });
        expect(back).toBe(text);
      }),
      { numRuns: 500 },
    );
  });
});
