// Tests pages of long texts.

import type { ResultRoom } from '@tidemark/agent';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { textPage } from './text-page.ts';

const measure = async (text: string): Promise<ResultRoom> => ({
  bytes: Buffer.byteLength(text),
  lines: text.split('\n').length,
});

test('the pages of any text together are the text, each fits its room, and none splits a visible character', async () => {
  const unit = fc.constantFrom('x', 'é', '👩‍👩‍👧', '\n', 'word ', '漢', 'line\n');
  const text = fc.array(fc.tuple(unit, fc.integer({ min: 1, max: 2_000 })), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1_200, max: 9_000 }), async (parts, bytes) => {
      const whole = parts.map(([part, times]) => part.repeat(times)).join('');
      const graphemes = new Set([...new Intl.Segmenter().segment(whole)].map(({ index }) => index));
      let from = 0;
      for (;;) {
        const page = await textPage({ text: whole, from, head: '[head]', notes: [] })({ bytes, lines: 400 }, measure);
        const size = await measure(page);
        expect(size.bytes).toBeLessThanOrEqual(bytes);
        expect(size.lines).toBeLessThanOrEqual(400);
        const next = /; read on with from (\d+)\]$/.exec(page);
        const end = next === null ? whole.length : Number(next[1]);
        expect(page).toContain(`[head]\n${whole.slice(from, end)}`);
        if (next === null) break;
        expect(end).toBeGreaterThan(from);
        expect(graphemes.has(end)).toBe(true);
        from = end;
      }
    }),
    { numRuns: 60 },
  );
});

test('a page ends after a line if a line ends in its second half', async () => {
  const text = `${'a'.repeat(700)}\n${'b'.repeat(2_000)}`;
  const page = await textPage({ text, from: 0, head: '', notes: [] })({ bytes: 1_600, lines: 100 }, measure);
  expect(page).toContain(`${'a'.repeat(700)}\n[characters 0 to 701 of 2701; read on with from 701]`);
});

test('a text that fits has only the notes of its caller', async () => {
  const page = textPage({ text: 'short', from: 0, head: '[head]', notes: ['a note'] });
  expect(await page({ bytes: 1_000, lines: 10 }, measure)).toBe('[head]\nshort\n[a note]');
});
