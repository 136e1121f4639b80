// Tests which part of a long line a diff shows.

import { expect, test } from 'vitest';
import { nearestLines } from '../edit/nearest-lines.ts';
import { showDiff } from './show-diff.ts';

const TOKEN = ['gh', 'p_', 'Zx9Kq2Lm7Wd4'.repeat(3)].join('');
const PARTS = Array.from({ length: TOKEN.length - 11 }, (_, at) => TOKEN.slice(at + 4, at + 12));
/**
 * Returns the parts of `TOKEN` in the text. If the text contains the whole secret, returns an empty list. The mask
 * recognizes a whole secret but not a part of it.
 */
const leftOf = (text: string): readonly string[] =>
  text.includes(TOKEN) ? [] : PARTS.filter((part) => text.includes(part));

test('`showDiff` shows a token whole or not at all, at any cut of its line', async () => {
  for (let lead = 350; lead < 402; lead += 1) {
    const line = `${'ab '.repeat(lead).slice(0, lead)}"${TOKEN}", ${'more '.repeat(40)}`;
    const diff = await showDiff(`${line}\n`, `${line}!\n`);
    expect(diff).toContain('…');
    expect(leftOf(diff)).toEqual([]);
  }
});

test('`nearestLines` shows a token whole or not at all, at any cut of its line', () => {
  for (let lead = 250; lead < 302; lead += 1) {
    const line = `${'ab '.repeat(lead).slice(0, lead)}"${TOKEN}", ${'more '.repeat(40)}`;
    const near = nearestLines(`${line}\n`, `${line.slice(0, 200)}x`);
    expect(leftOf(near?.text ?? 'nothing')).toEqual([]);
  }
});
