// Tests `fetch` with a real server on loopback. The server is allowed explicitly, and host names are resolved by the
// test.

import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';

import { callTool, SECRET } from '../../tests/call-tool.ts';
import { fetchFor, now, sent, startWebServer } from '../../tests/web-server.ts';
import { createFetchTool } from './fetch-tool.ts';

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const PROSE = 'A sentence that a reader wants to see, with a few more words. '.repeat(8);

describe('`fetch` returns', () => {
  test('the main part of an HTML page as Markdown, with absolute links, code and tables', async () => {
    await using server = await startWebServer({
      '/docs/a': `<!doctype html><title> The  guide </title><base href="/docs/">
        <nav><a href="/menu">Menu</a></nav>
        <main><h1>Guide <a class="anchor" href="#guide">¶</a></h1><p>${PROSE}<a href="b?c=1#d">next</a> snake_case *x*</p>
        <pre class="highlight highlight-python"><code>if x:<br>    y(\`z\`)</code></pre>
        <table><tr><th>name</th><th>value</th></tr><tr><td>a|b</td><td>1<br>2</td></tr></table>
        <img src="pic.png" alt="a picture"><img src="spacer.gif"><a href="javascript:alert(1)">click</a>
        <p hidden>not seen</p><script>not seen</script></main><footer>footer</footer>`,
    });
    const { text, output } = await callTool(fetchFor(server), { url: server.at('/docs/a') });
    expect(output.failed).toBeUndefined();
    expect(text.split('\n')[0]).toBe(
      `[untrusted content of ${server.at('/docs/a')}; status 200; text/html as Markdown, main part; fetched 2026-11-23T12:00:00Z; title "The guide"]`,
    );
    expect(text).toContain('\n# Guide\n');
    expect(text).toContain(`[next](${server.at('/docs/b?c=1#d')}) snake_case *x*`);
    expect(text).toContain('```python\nif x:\n    y(`z`)\n```');
    expect(text).toContain('| name | value |\n| --- | --- |\n| a\\|b | 1 2 |');
    expect(text).toContain(`![a picture](${server.at('/docs/pic.png')})`);
    expect(text).toMatch(/click\n/);
    expect(text).not.toMatch(/not seen|Menu|footer|spacer|javascript|¶/);
    expect(text.split('\n').at(-1)).toBe('[parts around the main part are left out; raw returns the source]');
  });

  test('the source of an HTML page with `raw`', async () => {
    await using server = await startWebServer({ '/': '<p>hello <b>you</b></p>' });
    const { text } = await callTool(fetchFor(server), { url: server.at('/'), raw: true });
    expect(text).toBe(
      `[untrusted content of ${server.at('/')}; status 200; text/html; fetched 2026-11-23T12:00:00Z]\n<p>hello <b>you</b></p>`,
    );
  });

  test.each([
    ['application/json', '{"a":[1,2],"b":"<p>"}'],
    ['text/markdown; charset=utf-8', '# Title\n\ntext'],
    ['application/xml', '<?xml version="1.0"?><a><b/></a>'],
    ['text/plain', 'a < b\n\tc'],
    ['image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
  ])('%s without changes', async (type, body) => {
    await using server = await startWebServer({ '/': sent(type, body) });
    const { text } = await callTool(fetchFor(server), { url: server.at('/') });
    expect(text.split('\n').slice(1).join('\n')).toBe(body);
  });

  test.each([
    ['the header', 'text/plain; charset=ISO-8859-1', Buffer.from([0x63, 0x61, 0x66, 0xe9])],
    [
      'the `meta` element',
      'text/html',
      Buffer.concat([Buffer.from('<meta charset="windows-1252"><p>caf'), Buffer.from([0xe9])]),
    ],
    [
      'the XML declaration',
      'text/xml',
      Buffer.concat([Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><a>caf'), Buffer.from([0xe9])]),
    ],
    ['the byte order mark', 'text/plain', Buffer.from('\uFEFFcafé', 'utf16le')],
    ['the header, for UTF-16', 'text/plain; charset=utf-16le', Buffer.from('café', 'utf16le')],
    ['nothing, so UTF-8', 'text/plain', Buffer.from('café')],
  ])('text in the encoding of %s', async (_name, type, body) => {
    await using server = await startWebServer({ '/': sent(type, body) });
    const { text } = await callTool(fetchFor(server), { url: server.at('/') });
    expect(text).toContain('café');
  });

  test('text in an unknown encoding as UTF-8, and says so', async () => {
    await using server = await startWebServer({ '/': sent('text/plain; charset=klingon', 'hello') });
    const { text } = await callTool(fetchFor(server), { url: server.at('/') });
    expect(text).toContain('hello\n[the encoding "klingon" is not known');
  });

  test('an image by its bytes, whatever its type says', async () => {
    await using server = await startWebServer({ '/': sent('text/html', PIXEL) });
    const { text, output } = await callTool(fetchFor(server), { url: server.at('/') });
    expect(output.images).toEqual([{ data: new Uint8Array(PIXEL), mediaType: 'image/png' }]);
    expect(text).toContain('status 200; image/png; fetched');
  });

  test('the text of a PDF, page by page', async () => {
    await using server = await startWebServer({ '/': sent('application/pdf', makePdf('Hello tide', '')) });
    const { text } = await callTool(fetchFor(server), { url: server.at('/') });
    expect(text).toContain('status 200; application/pdf as text; fetched');
    expect(text).toContain('[page 1 of 2]\nHello tide\n\n[page 2 of 2: no text, perhaps a scanned image]');
  });

  test.each([
    ['gzip', gzipSync('compressed text')],
    ['br', brotliCompressSync('compressed text')],
  ])('text that is compressed with %s', async (coding, body) => {
    await using server = await startWebServer({ '/': sent('text/plain', body, { 'content-encoding': coding }) });
    expect((await callTool(fetchFor(server), { url: server.at('/') })).text).toContain('\ncompressed text');
  });

  test('the text of an error, and marks the call as failed', async () => {
    await using server = await startWebServer({});
    const { text, output } = await callTool(fetchFor(server), { url: server.at('/gone') });
    expect(output.failed).toBe(true);
    expect(text).toMatch(/status 404; text\/plain;[^\n]*\nnothing is here$/);
  });

  test('a note for a page without text', async () => {
    await using server = await startWebServer({ '/': '<div id="app"></div><script>start()</script>' });
    expect((await callTool(fetchFor(server), { url: server.at('/') })).text).toContain(
      '[the page has no text without its scripts, which are not run]',
    );
  });
});

describe('`fetch` refuses', () => {
  test.each([
    ['a damaged PDF', 'text/plain', Buffer.from('%PDF-1.7\n'), 'cannot be read: '],
    ['a binary file', 'application/octet-stream', Buffer.from([1, 0, 2]), 'is application/octet-stream'],
    ['an archive that is called text', 'text/plain', gzipSync('a'), 'which cannot be shown as text'],
  ])('%s', async (_name, type, body, words) => {
    await using server = await startWebServer({ '/': sent(type, body) });
    await expect(callTool(fetchFor(server), { url: server.at('/') })).rejects.toMatchObject({
      code: 'web/not-text',
      message: expect.stringContaining(words),
    });
  });

  test('an unknown content encoding, a broken one, and an answer that ends too early', async () => {
    await using server = await startWebServer({
      '/unknown': sent('text/plain', 'x', { 'content-encoding': 'aes' }),
      '/broken': sent('text/plain', 'not gzip', { 'content-encoding': 'gzip' }),
      '/short': (_request, response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('half', () => response.destroy());
      },
    });
    const tool = fetchFor(server);
    await expect(callTool(tool, { url: server.at('/unknown') })).rejects.toMatchObject({ code: 'web/not-text' });
    await expect(callTool(tool, { url: server.at('/broken') })).rejects.toMatchObject({ code: 'web/unreachable' });
    await expect(callTool(tool, { url: server.at('/short') })).rejects.toMatchObject({ code: 'web/unreachable' });
  });

  test('a host that does not exist, and a port on which no server listens', async () => {
    const closed = await startWebServer({});
    await closed[Symbol.asyncDispose]();
    const tool = fetchFor(closed);
    await expect(callTool(tool, { url: 'http://missing.example/' })).rejects.toMatchObject({
      code: 'web/unreachable',
      message: 'The host missing.example was not found. Check its spelling, or call again later.',
    });
    await expect(callTool(tool, { url: closed.at('/') })).rejects.toMatchObject({
      code: 'web/unreachable',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  test.each([
    ['as it is', `http://127.0.0.1:9/?q=${SECRET}`],
    ['percent-encoded', `http://127.0.0.1:9/${Buffer.from(SECRET).toString('hex').replaceAll(/../g, '%$&')}`],
    ['in the host name', `http://${SECRET}.evil.example/`],
    ['in Base64', `http://127.0.0.1:9/?q=${Buffer.from(SECRET).toString('base64url')}`],
  ])('a URL that contains a secret of the session %s, before it sends anything', async (_name, url) => {
    const tool = createFetchTool({ now, resolve: () => Promise.reject(new Error('nothing may be resolved')) });
    const refused = callTool(tool, { url });
    await expect(refused).rejects.toMatchObject({ code: 'web/secret', message: expect.not.stringContaining(SECRET) });
  });
});

describe('a long text', () => {
  const LINES = Array.from(
    { length: 4_000 },
    (_, line) => `line ${line} of a text that is long enough to need pages\n`,
  );
  const LONG = LINES.join('');

  test('comes in pages from one download, and the pages together are the text', async () => {
    await using server = await startWebServer({ '/': sent('text/plain', LONG) });
    const tool = fetchFor(server);
    let from: number | undefined = 0;
    let read = '';
    while (from !== undefined) {
      const { text } = await callTool(tool, { url: server.at('/'), ...(from > 0 && { from }) });
      const [, part = '', notes = ''] = /^\[[^\n]*\]\n([^]*)\[([^\n]*)\]$/.exec(text) ?? [];
      expect(notes).toContain(`characters ${from} to ${from + part.length} of ${LONG.length}`);
      expect(part.endsWith('\n')).toBe(true);
      read += part;
      from = /read on with from (\d+)/.exec(notes)?.[1] === undefined ? undefined : read.length;
    }
    expect(read).toBe(LONG);
    expect(server.requests).toHaveLength(1);
  });

  test('fits a small result, with its last line', async () => {
    await using server = await startWebServer({ '/': sent('text/plain', LONG) });
    const room = { bytes: 2_000, lines: 20 };
    const { text } = await callTool(fetchFor(server), { url: server.at('/') }, {}, room);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(room.bytes);
    expect(text.split('\n').length).toBeLessThanOrEqual(room.lines);
    expect(text).toMatch(/read on with from \d+\]$/);
  });

  test('is downloaded again by a process that has not read its beginning, and says so', async () => {
    await using server = await startWebServer({ '/': sent('text/plain', LONG) });
    const { text } = await callTool(fetchFor(server), { url: server.at('/'), from: 100 });
    expect(text).toContain('downloaded again, so the text before this page may have changed');
  });

  test('has no page after its end', async () => {
    await using server = await startWebServer({ '/': sent('text/plain', 'short') });
    await expect(callTool(fetchFor(server), { url: server.at('/'), from: 5 })).rejects.toMatchObject({
      code: 'web/past-the-end',
    });
  });

  test('above the limit is read up to the limit, and says so', async () => {
    await using server = await startWebServer({ '/': sent('text/plain', 'a'.repeat(5_000)) });
    const { text } = await callTool(fetchFor(server, { bytes: 1_000 }), { url: server.at('/') });
    expect(text).toMatch(/\na{1000}\n\[only the first 1000 bytes were downloaded, because the file is larger\]$/);
  });

  test('is decompressed only up to the limit', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024, 'a'));
    await using server = await startWebServer({ '/': sent('text/plain', bomb, { 'content-encoding': 'gzip' }) });
    const before = process.memoryUsage().rss;
    const { text } = await callTool(fetchFor(server, { bytes: 1_000 }), { url: server.at('/') });
    expect(text).toContain('only the first 1000 bytes were downloaded');
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
  });

  test('is masked before it is cut, so a secret on the border of two pages stays masked', async () => {
    const body = `${'x'.repeat(990)} ${SECRET} ${'y'.repeat(2_000)}`;
    await using server = await startWebServer({ '/': sent('text/plain', body) });
    const tool = fetchFor(server);
    const room = { bytes: 1_000 + 512, lines: 100 };
    const first = await callTool(tool, { url: server.at('/') }, {}, room);
    const from = Number(/read on with from (\d+)/.exec(first.text)?.[1]);
    const second = await callTool(tool, { url: server.at('/'), from });
    expect(first.text + second.text).not.toMatch(/correct-|-horse|battery|staple/);
  });
});

/** Returns a PDF with one page for each text. */
function makePdf(...texts: readonly string[]): Buffer {
  const pages = texts.flatMap((text, at) => {
    const stream = `BT /F1 24 Tf 72 700 Td (${text}) Tj ET`;
    return [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + 2 * at} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    ];
  });
  const kids = texts.map((_, at) => `${4 + 2 * at} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${texts.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages,
  ];
  const body = objects.map((object, at) => `${at + 1} 0 obj\n${object}\nendobj\n`).join('');
  return Buffer.from(`%PDF-1.4\n${body}trailer\n<< /Root 1 0 R /Size ${objects.length + 1} >>\n%%EOF\n`);
}
