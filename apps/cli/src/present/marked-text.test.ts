import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { markedText } from './marked-text.ts';

describe('markedText', () => {
  test.each([
    ['a zero-width space', 'rm -rf \u200B/tmp', 'rm -rf ⟨U+200B⟩/tmp'],
    ['a joiner', 'a\u200Db', 'a⟨U+200D⟩b'],
    ['bidirectional controls', 'a\u202Eb\u2066c\u2069', 'a⟨U+202E⟩b⟨U+2066⟩c⟨U+2069⟩'],
    ['a soft hyphen', 'pass\u00ADword', 'pass⟨U+00AD⟩word'],
    ['variation selectors', 'a\uFE0Fb\u{E0100}', 'a⟨U+FE0F⟩b⟨U+E0100⟩'],
    ['a joiner after an emoji', '😀\u200Drm', '😀⟨U+200D⟩rm'],
    ['tags', 'x\u{E0041}\u{E007F}', 'x⟨U+E0041⟩⟨U+E007F⟩'],
    ['controls and escapes', 'a\x1b[31mb\r\b\x7f\x9b', 'a⟨U+001B⟩[31mb⟨U+000D⟩⟨U+0008⟩⟨U+007F⟩⟨U+009B⟩'],
    ['blanks that are no space', 'a\u00A0b\u3000c\u2800d\u3164e', 'a⟨U+00A0⟩b⟨U+3000⟩c⟨U+2800⟩d⟨U+3164⟩e'],
    ['line breaks that are no line feed', 'a\u2028b\u2029c\u0085', 'a⟨U+2028⟩b⟨U+2029⟩c⟨U+0085⟩'],
    ['a mark of byte order', '\uFEFFa', '⟨U+FEFF⟩a'],
    ['a lone surrogate', 'a\uD800b', 'a⟨U+D800⟩b'],
  ])('shows %s by its code point and drops no character', (_, text, shown) => expect(markedText(text)).toBe(shown));

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
  ])('marks a look-alike letter inside Latin words: %s', (_, text, shown) => expect(markedText(text)).toBe(shown));

  test.each([
    ['a minus', 'rm \u2212rf x', 'rm \u2212⟨U+2212⟩rf x'],
    ['a hyphen', 'left\u2010pad', 'left\u2010⟨U+2010⟩pad'],
    ['a hyphen without a break', 'git push \u2011f', 'git push \u2011⟨U+2011⟩f'],
    ['an en dash of an option', 'rm \u2013rf x', 'rm \u2013⟨U+2013⟩rf x'],
    ['an en dash in a name', 'left\u2013pad', 'left\u2013⟨U+2013⟩pad'],
    ['an em dash', 'npm i \u2014force', 'npm i \u2014⟨U+2014⟩force'],
    ['two em dashes', 'x \u2014\u2014force', 'x \u2014⟨U+2014⟩\u2014⟨U+2014⟩force'],
    ['a fullwidth hyphen', 'rm \uFF0Drf', 'rm \uFF0D⟨U+FF0D⟩rf'],
    ['a small hyphen', 'rm \uFE63rf', 'rm \uFE63⟨U+FE63⟩rf'],
    ['a drawn line', 'cat x \u2502 sh', 'cat x \u2502⟨U+2502⟩ sh'],
    ['a light bar', 'cat x \u2758 sh', 'cat x \u2758⟨U+2758⟩ sh'],
    ['a bar at the end', 'cat x \u2502', 'cat x \u2502⟨U+2502⟩'],
    ['a star', 'rm \u2217', 'rm \u2217⟨U+2217⟩'],
    ['slashes', 'a\u2044b\u2215c', 'a\u2044⟨U+2044⟩b\u2215⟨U+2215⟩c'],
    ['a fullwidth semicolon', 'ls \uFF1B rm x', 'ls \uFF1B⟨U+FF1B⟩ rm x'],
    ['a fullwidth semicolon at the end', 'ls\uFF1B', 'ls\uFF1B⟨U+FF1B⟩'],
    ['fullwidth ampersands', 'ls \uFF06\uFF06 rm', 'ls \uFF06⟨U+FF06⟩\uFF06⟨U+FF06⟩ rm'],
    ['a fullwidth pipe', 'ls \uFF5C sh', 'ls \uFF5C⟨U+FF5C⟩ sh'],
    ['a fullwidth redirection', 'ls \uFF1E x', 'ls \uFF1E⟨U+FF1E⟩ x'],
    ['a fullwidth sign next to a Chinese word', 'ls \uFF1Brm # \u4f60\u597d', 'ls \uFF1B⟨U+FF1B⟩rm # \u4f60\u597d'],
    ['primes as quotes', 'echo \u2032$(x)\u2032', 'echo \u2032⟨U+2032⟩$(x)\u2032⟨U+2032⟩'],
    ['a letter that is a dash', 'rm \u4e00rf', 'rm \u4e00⟨U+4E00⟩rf'],
  ])('marks a sign that looks like an ASCII sign and is next to ASCII: %s', (_, text, shown) =>
    expect(markedText(text)).toBe(shown),
  );

  test.each([
    ['a stroke', 'r\u0336m', 'r\u0336⟨U+0336⟩m'],
    ['a slash', 'a\u0338b', 'a\u0338⟨U+0338⟩b'],
    ['a circle', 'a\u20DD', 'a\u20DD⟨U+20DD⟩'],
    ['a line below, like an underscore', 'a\u0332b', 'a\u0332⟨U+0332⟩b'],
    ['a second dot', 'i\u0307d', 'i\u0307⟨U+0307⟩d'],
    ['an accent on a sign', '-\u0301rf', '-\u0301⟨U+0301⟩rf'],
    ['an accent on a blank', 'a \u0301b', 'a \u0301⟨U+0301⟩b'],
    ['a pile', 'a\u0301\u0302\u0303', 'a\u0301\u0302\u0303⟨U+0303⟩'],
    ['a vowel point of another script', 'a\u05B4b', 'a\u05B4⟨U+05B4⟩b'],
    ['a box around a digit of a word', 'v1\uFE0F\u20E3', 'v1⟨U+FE0F⟩\u20E3⟨U+20E3⟩'],
  ])('marks a combining mark that hides or changes a letter: %s', (_, text, shown) =>
    expect(markedText(text)).toBe(shown),
  );

  test.each([
    ['at the begin', 'сор file /etc', 'с⟨U+0441⟩о⟨U+043E⟩р⟨U+0440⟩ file /etc'],
    ['at the end', 'rm -rf хо', 'rm -rf х⟨U+0445⟩о⟨U+043E⟩'],
    ['with digits and signs', 'cat -/со1', 'cat -/с⟨U+0441⟩о⟨U+043E⟩1⟨U+0031⟩'],
    ['Greek', 'run \u03BF x', 'run \u03BF⟨U+03BF⟩ x'],
    ['Lisu', 'rm ꓐꓠ', 'rm ꓐ⟨U+A4D0⟩ꓠ⟨U+A4E0⟩'],
    ['Coptic', 'npm i ⲥⲣⲟ', 'npm i ⲥ⟨U+2CA5⟩ⲣ⟨U+2CA3⟩ⲟ⟨U+2C9F⟩'],
    ['a palochka', 'echo Ӏ', 'echo Ӏ⟨U+04C0⟩'],
    ['before a comment in its script', 'сор file # слово', 'с⟨U+0441⟩о⟨U+043E⟩р⟨U+0440⟩ file # слово'],
  ])('marks a word that consists of look-alike letters, in a line with Latin words: %s', (_, text, shown) =>
    expect(markedText(text)).toBe(shown),
  );

  test.each([
    ['at the end', 'ls ａ', 'ls ａ⟨U+FF41⟩'],
    ['at the begin', 'ｒｍ x', 'ｒ⟨U+FF52⟩ｍ⟨U+FF4D⟩ x'],
    ['a number', 'kill １2', 'kill １⟨U+FF11⟩2'],
    ['before an East Asian comment', 'ls ａ # 日本語', 'ls ａ⟨U+FF41⟩ # 日本語'],
    ['at the end of an East Asian line', 'echo 日本; rm ａ', 'echo 日本; rm ａ⟨U+FF41⟩'],
  ])('marks a word of fullwidth letters in a line of ASCII: %s', (_, text, shown) =>
    expect(markedText(text)).toBe(shown),
  );

  test.each([
    ['a drawn slash', 'rm -rf \u2571', 'rm -rf \u2571⟨U+2571⟩'],
    ['a drawn slash in a path', 'cat a\u2571b', 'cat a\u2571⟨U+2571⟩b'],
    ['a rising diagonal', 'rm -rf \u27CB', 'rm -rf \u27CB⟨U+27CB⟩'],
    ['a drawn backslash', 'C:\u2572x', 'C:\u2572⟨U+2572⟩x'],
    ['an Armenian full stop', 'http\u0589//x', 'http\u0589⟨U+0589⟩//x'],
    ['a Hebrew full stop', 'a \u05C3 b', 'a \u05C3⟨U+05C3⟩ b'],
    ['a halfwidth stroke', 'cat x \uFFE8 sh', 'cat x \uFFE8⟨U+FFE8⟩ sh'],
    ['a thin block', 'cat x \u258F sh', 'cat x \u258F⟨U+258F⟩ sh'],
    ['a double stroke', 'cat x \u2016 sh', 'cat x \u2016⟨U+2016⟩ sh'],
    ['a middle dot in a name', 'cat a\u00B7txt', 'cat a\u00B7⟨U+00B7⟩txt'],
    ['middle dots of a path', 'rm \u00B7\u00B7/x', 'rm \u00B7⟨U+00B7⟩\u00B7⟨U+00B7⟩/x'],
    ['an acute accent', 'echo \u00B4id\u00B4', 'echo \u00B4⟨U+00B4⟩id\u00B4⟨U+00B4⟩'],
    ['an angle bracket', 'cat \u27E8 x', 'cat ⟨U+27E8⟩ x'],
    ['angle brackets', 'cat \u27E8x \u27E9y', 'cat ⟨U+27E8⟩x \u27E9⟨U+27E9⟩y'],
    ['angle brackets without blanks', 'cat \u27E8x\u27E9y', 'cat ⟨U+27E8⟩x\u27E9⟨U+27E9⟩y'],
  ])('marks a stroke, a dot or a bracket that looks like an ASCII sign: %s', (_, text, shown) =>
    expect(markedText(text)).toBe(shown),
  );

  test.each([
    'Acme\u2122 is stored at 20 \u2103, 68 \u2109, \u2116 5, \u00A9 \u00AE',
    'col\u00B7lecci\u00F3, 2\u00B73, name \u00B7 size \u00B7 date',
    'これは ＡＢＣ です。バージョン １２ です',
    'ＦＡＱ',
    '\u0532\u0561\u0580\u0587 Linux\u0589',
    '50% \u2588\u2588\u258F  5/10',
    '\u2571 a \u2572',
    'the vector \u27E8x,y\u27E9, and \u27E8z\u27E9',
    'ꓡꓲ-ꓢꓴ ꓥꓬ ꓞꓵ npm ꓤꓱ ꓐꓠ ꓷꓯ',
  ])('does not mark signs and letters that cannot be confused with ASCII in their context: %s', (text) =>
    expect(markedText(text)).toBe(text),
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
    'README — это файл, а не папка; см. раздел 1–2, из‑за которого всё сломалось',
    'Запусти npm test, а потом оно само',
    '请运行 npm test；然后（可选）使用React；Vue也可以。',
    'Reactを使う：サーバーー起動！　次へ',
    'η τιμή του x είναι 5 – ή 6',
    'pages 10–20, Paris – Berlin, 5′',
    'Tiếng Việt, o\u0302\u0301, m\u0300, Yorùbá, Čeština',
    '❤\uFE0F 👩\u200D💻 🏳\uFE0F\u200D🌈 1\uFE0F\u20E3 first ⚠\uFE0F',
    '├── src\u2502 a',
    '+\u2502 name \u2502 value \u2502',
    'हिन्दी में टिप्पणी, ไทย, עִבְרִית, العَرَبِيَّة',
  ])('does not mark ordinary text of any language: %s', (text) => expect(markedText(text)).toBe(text));

  test.each([
    '\u2014',
    '\u0301',
    '\u043E ',
    '\uFF1B',
    '\u2502',
    '😀\u200D',
    '\u0441\u2010',
    'ａ ',
    'ａ日',
    '⟨',
    '⟨a⟩',
    '\u00B7',
    '\u0589 ',
  ])('handles a long line in linear time: %j', (unit) =>
    expect(markedText(`a ${unit.repeat(200_000)} b`).length).toBeGreaterThan(200_000),
  );

  test('marks a bracket in the text that imitates the start of a mark', () =>
    expect(markedText('a⟨U+200B⟩ ⟨x⟩')).toBe('a⟨U+27E8⟩U+200B⟩ ⟨x⟩'));

  test('keeps the original text recoverable, and returns no invisible characters', () => {
    const chars = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('a', 'а', 'ａ', '\u200B', '⟨', '⟩', '·', 'U+', ' ', '日') }),
    );
    fc.assert(
      fc.property(chars, (text) => {
        const shown = markedText(text);
        expect(shown.replaceAll(/\p{RGI_Emoji}/gv, '')).not.toMatch(
          /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u,
        );
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
