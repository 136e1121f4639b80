// Tests the form of the Markdown. The pages are small; `fetch-tool.int.test.ts` tests a whole page.

import { describe, expect, test } from 'vitest';

import { htmlToMarkdown } from './html-to-markdown.ts';
import { plainText } from './plain-text.ts';

function markdown(html: string): string {
  return htmlToMarkdown(`<body>${html}</body>`, 'https://example.com/docs/page').text;
}

describe('Markdown', () => {
  test.each([
    ['a fragment without a body', '<p>one</p><p>two</p>', 'one\n\ntwo'],
    ['a fragment with a title', '<title>t</title><p>one</p>', 'one'],
    ['headings and lists', '<h2>A</h2><ul><li>b<li>c</ul>', '## A\n\n-   b\n-   c'],
    ['emphasis', '<p><b>a</b> <em>b</em> <code>c_d</code></p>', '**a** _b_ `c_d`'],
    ['signs of Markdown in text', '<p>1. snake_case [x] *y* # z</p>', '1. snake_case [x] *y* # z'],
    ['a link to another page', '<p><a href="../up?a=1&amp;b=2">up</a></p>', '[up](https://example.com/up?a=1&b=2)'],
    ['a link inside the page', '<p><a href="#x">here</a></p>', 'here'],
    ['a link that runs a script', '<p><a href="javascript:x()">here</a></p>', 'here'],
    ['a link without text', '<p>a<a href="/x"></a></p>', 'a'],
    [
      'an image in a link',
      '<a href="/x"><img src="/i.png" alt="pic"></a>',
      '[![pic](https://example.com/i.png)](https://example.com/x)',
    ],
    [
      'an image with its bytes in its address',
      '<p><img src="data:image/png;base64,AAAA" alt="pic"></p>',
      '[image: pic]',
    ],
    ['code without `code`', '<pre>a\n  b</pre>', '```\na\n  b\n```'],
    ['code with fences in it', '<pre><code>```js\n```</code></pre>', '````\n```js\n```\n````'],
    ['code with line breaks', '<pre>a<br>b</pre>', '```\na\nb\n```'],
    [
      'code of Sphinx',
      '<div class="highlight-python notranslate"><div class="highlight"><pre><span></span>x = 1\n</pre></div></div>',
      '```python\nx = 1\n```',
    ],
    ['code of GitHub', '<div class="highlight highlight-source-js"><pre>x</pre></div>', '```js\nx\n```'],
    ['a table without a header', '<table><tr><td>a<td>b<tr><td>c</table>', '| a | b |\n| --- | --- |\n| c |  |'],
    ['a table for a layout', '<table><tr><td>a</td></tr><tr><td><p>b</p></td></tr></table>', 'a\n\nb'],
    ['a table with code', '<table><tr><td>a</td><td><pre>b</pre></td></tr></table>', 'a\n\n```\nb\n```'],
    ['hidden parts', '<p>a</p><p hidden>b</p><p style="display:none">c</p><template>d</template><nav>e</nav>', 'a'],
    ['private signs', '<table><tr><td>a\uE000b</td><td>\uE001</td></tr></table>', '| ab |  |\n| --- | --- |'],
  ])('of %s', (_name, html, text) => expect(markdown(html)).toBe(text));
});

test('plain text has one line for each block, and neither scripts nor markup', () => {
  const html =
    '<head><title>t</title></head><h1>A &amp; B</h1><p>one <b>two</b>\n three<br>four</p><script>x</script><div><div>five';
  expect(plainText(html)).toBe('A & B\none two three\nfour\nfive');
});

test('the main part is the only `main` element, otherwise the article, otherwise the whole page', () => {
  const prose = '<p>Some words that are long enough to be an article, with commas, too.</p>'.repeat(6);
  const page = (body: string): string =>
    htmlToMarkdown(`<html><head><title>T</title></head><body>${body}</body></html>`, 'https://example.com/').part;
  expect(page(`<div>menu</div><main>${prose}</main>`)).toBe('main');
  expect(page(`<div>menu</div><article>${prose}</article>`)).toBe('main');
  expect(page('<main>short</main><p>also short</p>')).toBe('whole');
});
