// Tests text on a page: it contains no markup and no invisible characters.

import { expect, test } from 'vitest';

import { escapeText, markup } from './markup.ts';

test.each([
  [
    'markup',
    `<script>alert("1 & 'x'")</script>`,
    '&lt;script&gt;alert(&quot;1 &amp; &#39;x&#39;&quot;)&lt;/script&gt;',
  ],
  ['an escape of a terminal', '\u001b[31mred\u001b[0m', '⟨U+001B⟩[31mred⟨U+001B⟩[0m'],
  ['a carriage return that would overwrite a line', 'safe\rrm -rf', 'safe⟨U+000D⟩rm -rf'],
  ['delete and C1', 'a\u007fb\u009bc', 'a⟨U+007F⟩b⟨U+009B⟩c'],
  ['a line that is turned round', 'a\u202egnp.exe', 'a⟨U+202E⟩gnp.exe'],
  ['words without width', 'pass\u200bword\ufeff', 'pass⟨U+200B⟩word⟨U+FEFF⟩'],
  ['text in invisible tag characters', 'hi\u{e0068}\u{e0069}', 'hi⟨U+E0068⟩⟨U+E0069⟩'],
  ['half of a pair', 'x\ud800y', 'x\ufffdy'],
])('`escapeText` makes %s visible', (_what, text, shown) => {
  expect(escapeText(text)).toBe(shown);
});

test('`escapeText` keeps tabs, newlines and whole emoji', () => {
  const text = 'a\tb\nc 👩‍🚀 né\u0301';
  expect(escapeText(text)).toBe(text);
  expect(escapeText('a\r\nb')).toBe('a\nb');
});

test('`markup` keeps markup values and escapes all other values', () => {
  const list = ['<i>', markup`<b>${'<'}</b>`];
  expect(markup`<p title="${'"'}">${list}${3}</p>`.html).toBe('<p title="&quot;">&lt;i&gt;<b>&lt;</b>3</p>');
});
