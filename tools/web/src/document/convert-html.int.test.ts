// Tests the conversion of hostile and damaged HTML in its worker thread.

import { expect, test } from 'vitest';

import { convertHtml } from './convert-html.ts';

const { signal } = new AbortController();
const address = 'https://example.com/';

test.each([
  ['elements that are nested 200,000 deep', `<body>${'<div>'.repeat(200_000)}${'hello '.repeat(100)}`],
  ['elements that are nested 20,000 deep', `<body>${'<div>'.repeat(20_000)}${'hello '.repeat(100)}`],
  ['inline elements that are nested 10,000 deep', `<body><p>${'<b><i>'.repeat(5_000)}${'hello '.repeat(100)}`],
])('the plain text is returned for %s', async (_name, html) => {
  const page = await convertHtml({ html, address }, signal);
  expect(page).toMatchObject({ part: 'plain', text: expect.stringMatching(/^(hello ?)+$/) });
});

test('a table of 300,000 rows is cut, and the text says where and how many rows are missing', async () => {
  const rows = Array.from({ length: 300_000 }, (_, row) => `<tr><td>${row + 1}</td><td>b</td></tr>`).join('');
  const html = `<body><h1>Rows</h1><table>${rows}</table><p>after the table</p>`;
  // A busy machine may need longer than the usual limit, after which the plain text is returned.
  const { part, text } = await convertHtml({ html, address }, signal, { markdown: 60_000, plain: 60_000 });
  expect(part).not.toBe('plain');
  expect(text).toContain('| 1000 | b |\n| [table cut: ');
  expect(text).toContain('299000 more rows follow here; raw returns the source]');
  expect(text).not.toContain('| 1001 |');
  expect(text).toMatch(/after the table$/);
});

test('a page that cannot be converted in time at all is refused, with the next step', async () => {
  const converted = convertHtml({ html: '<p>hello', address }, signal, { markdown: 1, plain: 1 });
  await expect(converted).rejects.toMatchObject({
    code: 'web/unreadable',
    message: expect.stringContaining('raw set to true'),
  });
});

test('a conversion ends when its call is interrupted', async () => {
  const interrupt = new AbortController();
  const html = `<body>${'<ul><li>a'.repeat(3_000)}</body>`;
  const converted = convertHtml({ html, address }, interrupt.signal);
  interrupt.abort(new Error('interrupted by the user'));
  await expect(converted).rejects.toThrow('interrupted by the user');
});

test('the plain text is returned for a page whose conversion takes too long', async () => {
  const html = `<main>${'&amp;'.repeat(300_000)}</main>`;
  const page = await convertHtml({ html, address }, signal, { markdown: 300, plain: 60_000 });
  expect(page).toMatchObject({ part: 'plain' });
  expect(page.text).toMatch(/^&{300000}$/);
});

test('XML entities are not expanded', async () => {
  const html = `<!DOCTYPE a [<!ENTITY b "bbbbbbbbbb"><!ENTITY c "&b;&b;&b;&b;&b;">]><body><p>&c;&c;</p></body>`;
  const { text } = await convertHtml({ html, address }, signal);
  expect(text).not.toContain('bbbbbbbbbbbb');
});

test('many conversions at the same time all end, and one that is interrupted while it waits ends at once', async () => {
  const interrupt = new AbortController();
  const html = '<p>hello';
  const all = Array.from({ length: 12 }, () => convertHtml({ html, address }, signal));
  const waiting = convertHtml({ html, address }, interrupt.signal);
  interrupt.abort(new Error('interrupted by the user'));
  await expect(waiting).rejects.toThrow('interrupted by the user');
  expect((await Promise.all(all)).map(({ text }) => text)).toEqual(all.map(() => 'hello'));
});
