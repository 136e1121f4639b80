import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describePage, joinPage } from './describe-page.ts';
import { PAGE_BYTES, startPage } from './take-page.ts';
import type { PageRequest, RawPage } from './take-page.ts';

const ALL: PageRequest = { offset: 1, limit: 2_000, skipBytes: 0 };

function pageOf(whole: Uint8Array, request: PageRequest, chunk = 64 * 1024): RawPage {
  const page = startPage(request);
  for (let at = 0; at < whole.length; at += chunk) page.take(whole.subarray(at, at + chunk));
  return page.finish();
}

function said(text: string, request: Partial<PageRequest> = {}): string {
  return joinPage(describePage(pageOf(Buffer.from(text), { ...ALL, ...request }), 'it'));
}

describe('a page', () => {
  test('that holds the whole text adds nothing to it', () => {
    expect(said('a\nb\n')).toBe('a\nb\n');
    expect(said('no end')).toBe('no end');
    expect(said('\n')).toBe('\n');
  });

  test('that holds a part names the lines and how to read on', () => {
    expect(said('a\nb\nc\n', { limit: 2 })).toBe('a\nb\n[lines 1-2 of 3; read on with offset 3]');
    expect(said('a\nb\nc', { offset: 2 })).toBe('b\nc\n[lines 2-3 of 3]');
    expect(said('')).toBe('[it is empty]');
  });

  test('after the end of the text is an error that names the number of lines', () => {
    expect(() => said('a\nb\n', { offset: 3 })).toThrow(
      expect.objectContaining({ code: 'workspace/past-the-end', message: expect.stringContaining('it has 2 lines') }),
    );
    expect(() => said('', { offset: 2 })).toThrow('it has 0 lines');
  });

  test('ends between two lines when it is full', () => {
    const line = `${'x'.repeat(1_000)}\n`;
    const page = pageOf(Buffer.from(line.repeat(100)), ALL);
    expect(page).toMatchObject({ lines: 49, total: 100, cut: false });
    expect(page.bytes.length).toBe(49 * 1_001);
  });

  test('that is shorter than its only line ends between graphemes and names the next byte', () => {
    const family = '👨‍👩‍👧‍👦';
    const text = `ab${family.repeat(4_000)}`;
    const first = pageOf(Buffer.from(text), ALL);
    expect(first.cut).toBe(true);
    expect(first.bytes.toString().slice(2).replaceAll(family, '')).toBe('');
    expect(said(text)).toMatch(
      /\[line 1 of 1 is longer than a page: its bytes 0 to (\d+) are shown; read on with offset 1 and skip_bytes \1\]$/,
    );
  });

  test('that contains bytes that are not UTF-8 marks these bytes and adds a note', () => {
    const page = pageOf(Buffer.from([0x61, 0xff, 0x0a]), ALL);
    expect(joinPage(describePage(page, 'it'))).toBe('a\uFFFD\n[bytes that are not UTF-8 are shown as \uFFFD]');
  });

  test('drops a byte order mark at the start of the text, and nowhere else', () => {
    expect(said('\uFEFFa\n\uFEFFb\n')).toBe('a\n\uFEFFb\n');
    expect(said('a\n\uFEFFb\n', { offset: 2 })).toContain('\uFEFFb\n');
  });
});

test('a page does not depend on how the bytes are split into chunks', () => {
  const whole = fc.array(fc.constantFrom(10, 13, 97, 0xc3, 0xa9), { maxLength: 40 }).map((bytes) => Buffer.from(bytes));
  const request = fc.record({
    offset: fc.integer({ min: 1, max: 9 }),
    limit: fc.integer({ min: 1, max: 9 }),
    skipBytes: fc.nat(9),
  });
  fc.assert(
    fc.property(whole, request, fc.integer({ min: 1, max: 7 }), (bytes, asked, chunk) => {
      expect(pageOf(bytes, asked, chunk)).toEqual(pageOf(bytes, asked));
    }),
    { numRuns: 300 },
  );
});

test('following the notes of each page returns every byte exactly once (L6)', () => {
  const line = fc
    .tuple(fc.constantFrom('x', 'é', '👩‍👩‍👧'), fc.constantFrom(0, 3, 500, 40_000))
    .map(([unit, n]) => unit.repeat(n));
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 8 }), fc.integer({ min: 1, max: 3 }), (lines, limit) => {
      const whole = Buffer.from(lines.join('\n'));
      fc.pre(whole.length > 0);
      const read: Buffer[] = [];
      let next: PageRequest | undefined = { ...ALL, limit };
      while (next !== undefined) {
        const page = pageOf(whole, next);
        expect(page.bytes.length).toBeLessThanOrEqual(PAGE_BYTES);
        read.push(page.bytes);
        next = told(joinPage(describePage(page, 'it')), limit);
      }
      expect(Buffer.concat(read).equals(whole)).toBe(true);
    }),
    { numRuns: 40 },
  );
});

function told(text: string, limit: number): PageRequest | undefined {
  const next = /read on with offset (\d+)(?: and skip_bytes (\d+))?\]$/.exec(text);
  return next === null ? undefined : { offset: Number(next[1]), limit, skipBytes: Number(next[2] ?? 0) };
}
