// Tests the reader with its real process.

import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { makeEncryptedPdf, makePdf } from '../tests/make-pdf.ts';
import type { PdfRequest, PdfText } from './read-pdf.ts';
import { isPdf, LARGEST_PDF, readPdf } from './read-pdf.ts';

const read = (bytes: Uint8Array, request: Partial<PdfRequest> = {}): Promise<PdfText> =>
  readPdf(bytes, { signal: new AbortController().signal, ...request });

describe('`readPdf`', () => {
  test('returns the text of each page, with its number and the number of pages', async () => {
    expect(await read(makePdf([['First line', 'Second (line)'], [], ['Third page']]))).toEqual({
      pages: 3,
      texts: [
        { number: 1, text: 'First line\nSecond (line)' },
        { number: 2, text: '' },
        { number: 3, text: 'Third page' },
      ],
    });
  });

  test('starts at a page, and reads no further page after enough characters', async () => {
    const pages = Array.from({ length: 9 }, (_, at) => [`page ${at + 1}`, 'x'.repeat(80)]);
    const { pages: count, texts } = await read(makePdf(pages), { from: 4, characters: 200 });
    expect(count).toBe(9);
    expect(texts.map(({ number }) => number)).toEqual([4, 5]);
    await expect(read(makePdf(pages), { from: 10 })).rejects.toMatchObject({
      code: 'pdf/no-such-page',
      message: 'The PDF has 9 pages; page 10 is after its end. Read an earlier page.',
    });
  });

  test('reports a PDF that is encrypted, damaged or too large', async () => {
    await expect(read(makeEncryptedPdf())).rejects.toMatchObject({ code: 'pdf/encrypted' });
    await expect(read(Buffer.from('%PDF-1.7\nnothing'))).rejects.toMatchObject({ code: 'pdf/damaged' });
    await expect(read(new Uint8Array(LARGEST_PDF + 1))).rejects.toMatchObject({ code: 'pdf/too-large' });
  });

  test('reads what remains of a PDF whose end is missing', async () => {
    const whole = makePdf([['First'], ['Second']]);
    const { texts } = await read(whole.subarray(0, whole.indexOf('startxref')));
    expect(texts.map(({ text }) => text)).toEqual(['First', 'Second']);
  });

  test('ends the process at the time limit, and when the caller stops waiting', async () => {
    await expect(read(makePdf([['a']]), { patienceMs: 1 })).rejects.toMatchObject({ code: 'pdf/over-limit' });
    const stopped = AbortSignal.abort(new Error('the user interrupted'));
    await expect(read(makePdf([['a']]), { signal: stopped })).rejects.toThrow('the user interrupted');
    const late = new AbortController();
    const reading = read(makePdf([['a']]), { signal: late.signal });
    late.abort(new Error('the user interrupted'));
    await expect(reading).rejects.toThrow('the user interrupted');
  });

  test('cuts a page with too much text, and reports it', async () => {
    const bytes = deflateSync(`BT /F1 11 Tf ${'(0123456789) Tj 0 0 Td '.repeat(60_000)} ET`);
    const { texts } = await read(makePdf([[], []], { bytes, filter: '/FlateDecode' }), { characters: 1 });
    expect(texts.map(({ number, text, problem }) => [number, text.length, problem])).toEqual([
      [1, 500_000, 'only the first 500000 characters of this page are shown'],
    ]);
  });
});

test('`isPdf` looks only at the first bytes of a file', () => {
  expect(isPdf(makePdf([]))).toBe(true);
  expect(isPdf(Buffer.from('const head = "%PDF-";'))).toBe(false);
  expect(isPdf(new Uint8Array())).toBe(false);
});
