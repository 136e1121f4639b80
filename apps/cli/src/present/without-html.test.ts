// Tests text written by others in a Markdown file. If the text contains HTML, a viewer shows the HTML as text and never
// interprets it.

import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { describe, expect, test } from 'vitest';

import { inlineCode, inlineWords, withoutHtml } from './without-html.ts';

const VIEWERS = [new MarkdownIt('commonmark', { html: true }), new MarkdownIt('default', { html: true })];

const PIECES = [
  ...'<b> <div> </div> <!-- --> <?x <script> <a href="`"> <http://x.y> ` `` ``` ~~~ > - | \\ a # [x]: [x]( ) * &lt;'.split(
    ' ',
  ),
  ' ',
  '  ',
  '    ',
  '\t',
  '\n',
  '\n\n',
  '> ',
  '- ',
  '1. ',
  '|-|-|\n',
];

function htmlIn(text: string): readonly string[] {
  return VIEWERS.flatMap((viewer) =>
    viewer
      .parse(text, {})
      .flatMap((token) => [token, ...(token.children ?? [])])
      .filter(({ type }) => type.startsWith('html'))
      .map(({ content }) => content),
  );
}

describe('HTML in a text', () => {
  test.each([
    ['a tag', 'Use <b>this</b>.', 'Use &lt;b>this&lt;/b>.'],
    ['a script', '<script>alert(1)</script>', '&lt;script>alert(1)&lt;/script>'],
    ['an image in a table', '|a|b|\n|-|-|\n|`|<img src=x>|`|', '|a|b|\n|-|-|\n|`|&lt;img src=x>|`|'],
    ['a comment that holds a fence', '<!--\n```\n-->\n', '&lt;!--\n```\n-->\n\n```'],
    ['a note of GitHub', '[^1]: a\n\n    <script>', '[^1]: a\n\n    &lt;script>'],
    ['code that an address takes', 'https://a.b/`<img src=x>`', 'https://a.b/`&lt;img src=x>`'],
    ['code that an address in brackets takes', '<http://a`<img>`>', '&lt;http://a`&lt;img>`>'],
    ['a fence behind a definition', '[a]:\n```\n<img>\n```', '[a]:\n```\n&lt;img>\n```'],
    ['a title that holds a fence', '[x]: y "\n```\n"\n<img>', '[x]: y "\n```\n"\n&lt;img>\n```'],
    ['a fence with a tab behind it', '```\na\n```\t\n<img>', '```\na\n```\n&lt;img>'],
    ['code that goes on to a line of its own', '`\n<div>\n`', '`\n&lt;div>\n`'],
  ])('is shown as written: %s', (_what, text, shown) => {
    expect(withoutHtml(text)).toBe(shown);
    expect(htmlIn(shown)).toEqual([]);
  });

  test.each([
    ['in a line', 'Use `<b>`, and ``a ` <i>``.'],
    ['in a fence', 'So:\n\n```html\n<b>this</b>\n```\n'],
    ['in a fence of a list', '1. Write\n\n   ```html\n   <b>this</b>\n   ```\n2. Done'],
    ['in a fence of a quotation', '> ~~~\n> <b>\n> ~~~'],
  ])('is unchanged if it is code %s', (_where, text) => {
    expect(withoutHtml(text)).toBe(text);
  });

  test('is never interpreted by a viewer, with any other text before or after it', () => {
    const pieces = fc.constantFrom(...PIECES);
    const text = fc.array(pieces, { maxLength: 24 }).map((all) => all.join(''));
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(htmlIn(`# Prompt\n\n${withoutHtml(a)}\n\n### m\n\n${withoutHtml(b)}`)).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ['signs of addresses', `${'@'.repeat(5_000)}${' `<`'.repeat(20_000)}`],
    ['fences', '```\n<\n```\n'.repeat(9_000)],
    ['signs in one line', `${'<'.repeat(40_000)}\`${'<'.repeat(20_000)}\``],
  ])('is found in linear time, even with many %s', (_what, text) => {
    expect(htmlIn(withoutHtml(text))).toEqual([]);
  });

  test('is put into a fence if the text is too long to be parsed', () => {
    const text = `${'`<b>` '.repeat(20_000)}\n\`\`\`\n<script>`;
    expect(withoutHtml(text)).toBe(`\`\`\`\`\n${text}\n\`\`\`\``);
  });
});

test('`inlineCode` and `inlineWords` keep a name on one line', () => {
  expect(inlineCode('a`b\n<i>')).toBe('``a`b <i>``');
  expect(inlineCode('`')).toBe('`` ` ``');
  expect(inlineWords('a <b>\n# c')).toBe('a &lt;b> # c');
});
