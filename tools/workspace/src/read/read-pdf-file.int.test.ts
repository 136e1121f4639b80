// Tests `read` with PDFs and the real reader.

import { describe, expect, test } from 'vitest';
import { openBench } from '../../tests/bench.ts';
import { makePdf } from '../../tests/make-pdf.ts';
import { createReadTool } from './read-tool.ts';

describe('`read` of a PDF', () => {
  test('shows the text of all pages with their numbers, and names pages without text', async () => {
    const { put, call, confinement } = await openBench();
    const path = await put('report.pdf', makePdf([['Title', 'First line'], [], ['Last page']]));
    const { text, files } = await call(createReadTool(confinement), { path: 'report.pdf' });
    expect(text).toBe(
      '[page 1 of 3]\nTitle\nFirst line\n[page 2 of 3: no text, perhaps a scanned image]\n[page 3 of 3]\nLast page\n',
    );
    expect(files).toMatchObject([{ path, as: 'read', shows: 'other-form' }]);
  });

  test('starts at a page, and tells how to read on at a page and inside a page', async () => {
    const { put, call, confinement } = await openBench();
    const pages = [1, 2, 3, 4].map((page) => Array.from({ length: 20 }, (_, line) => `page ${page} line ${line + 1}`));
    await put('a.pdf', makePdf(pages));
    const tool = createReadTool(confinement);
    const lines = async (input: object): Promise<readonly string[]> =>
      (await call(tool, { path: 'a.pdf', ...input })).text.trimEnd().split('\n');
    expect((await lines({ page: 4 })).slice(0, 2)).toEqual(['[page 4 of 4]', 'page 4 line 1']);
    expect((await lines({ page: 4 })).at(-1)).toBe('page 4 line 20');
    expect((await lines({ page: 2, limit: 21 })).at(-1)).toBe('[read on with page 3]');
    expect((await lines({ page: 2, limit: 30 })).at(-1)).toBe('[read on with page 3 and offset 10]');
    expect((await lines({ page: 3, offset: 10 }))[0]).toBe('page 3 line 9');
  });

  test('can be read to its end in small results without a gap', async () => {
    const { put, call, confinement } = await openBench();
    const pages = [1, 2, 3].map((page) => Array.from({ length: 30 }, (_, line) => `page ${page} line ${line + 1}`));
    await put('a.pdf', makePdf(pages));
    const tool = createReadTool(confinement);
    const shown: string[] = [];
    for (let input: object | undefined = {}; input !== undefined;) {
      const { text } = await call(tool, { path: 'a.pdf', ...input }, { room: () => ({ bytes: 1_100, lines: 13 }) });
      shown.push(...text.split('\n').filter((line) => /^page \d line/.test(line)));
      const next = /\[read on with page (\d+)(?: and offset (\d+))?\]$/.exec(text);
      input = next === null ? undefined : { page: Number(next[1]), ...(next[2] && { offset: Number(next[2]) }) };
    }
    expect(shown).toEqual(pages.flat());
  });

  test('reports a PDF that is scanned, encrypted or damaged, and a page that does not exist', async () => {
    const { put, call, confinement } = await openBench();
    await put('scan.pdf', makePdf([[], []]));
    await put('locked.pdf', makePdf([['a']], true));
    await put('broken.pdf', '%PDF-1.4\n');
    const tool = createReadTool(confinement);
    expect((await call(tool, { path: 'scan.pdf' })).text).toContain('convert it to an image with `bash`');
    expect(await call(tool, { path: 'locked.pdf' })).toMatchObject({
      code: 'workspace/not-text',
      text: 'locked.pdf: The PDF is encrypted with a password. Ask the user for a copy without one.',
    });
    expect(await call(tool, { path: 'broken.pdf' })).toMatchObject({
      code: 'workspace/not-text',
      text: expect.stringContaining('is damaged'),
    });
    expect(await call(tool, { path: 'scan.pdf', page: 3 })).toMatchObject({
      code: 'workspace/past-the-end',
      text: 'scan.pdf: The PDF has 2 pages; page 3 is after its end. Read an earlier page.',
    });
    expect(await call(tool, { path: 'scan.pdf', offset: 9 })).toMatchObject({ code: 'workspace/past-the-end' });
  });

  test('does not take a text about PDFs for one, and refuses a page of a text', async () => {
    const { put, call, confinement } = await openBench();
    await put('a.md', 'A PDF begins with %PDF-\n');
    const tool = createReadTool(confinement);
    expect((await call(tool, { path: 'a.md', page: 1 })).text).toBe('A PDF begins with %PDF-\n');
    expect(await call(tool, { path: 'a.md', page: 2 })).toMatchObject({ code: 'workspace/past-the-end' });
  });
});
