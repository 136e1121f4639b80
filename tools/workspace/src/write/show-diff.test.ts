// What a diff shows of a long line.

import { expect, test } from 'vitest';
import { nearestLines } from '../edit/nearest-lines.ts';
import { showDiff } from './show-diff.ts';

const TOKEN = ['gh', 'p_', 'Zx9Kq2Lm7Wd4'.repeat(3)].join('');
const PARTS = Array.from({ length: TOKEN.length - 11 }, (_, at) => TOKEN.slice(at + 4, at + 12));
/** The part that a later mask would not know; a whole token it knows. */
const leftOf = (text: string): readonly string[] =>
  text.includes(TOKEN) ? [] : PARTS.filter((part) => text.includes(part));

test('a diff holds a token whole or not at all, wherever its line is cut', async () => {
  for (let lead = 350; lead < 402; lead += 1) {
    const line = `${'ab '.repeat(lead).slice(0, lead)}"${TOKEN}", ${'more '.repeat(40)}`;
    const diff = await showDiff(`${line}\n`, `${line}!\n`);
    expect(diff).toContain('…');
    expect(leftOf(diff)).toEqual([]);
  }
});

test('the lines nearest to a text hold a token whole or not at all', () => {
  for (let lead = 250; lead < 302; lead += 1) {
    const line = `${'ab '.repeat(lead).slice(0, lead)}"${TOKEN}", ${'more '.repeat(40)}`;
    const near = nearestLines(`${line}\n`, `${line.slice(0, 200)}x`);
    expect(leftOf(near?.text ?? 'nothing')).toEqual([]);
  }
});
