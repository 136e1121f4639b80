// Tests which part of a long line is shown.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutBeforeWord, cutLine, cutMasked, longLine } from './cut-line.ts';

describe('`cutLine`', () => {
  it('returns a line of up to 400 characters unchanged', () => {
    expect(cutLine('x'.repeat(400))).toBe('x'.repeat(400));
  });

  it('cuts a line around its match and marks each cut side', () => {
    const line = `${'a'.repeat(1_000)}MATCH${'b'.repeat(1_000)}`;
    const shown = cutLine(line, [1_000, 1_005]);
    expect(shown).toBe(`…${'a'.repeat(100)}MATCH${'b'.repeat(295)}…`);
    expect(cutLine(`MATCH${line}`, [0, 5])).toMatch(/^MATCHa+…$/);
    expect(cutLine(line, [2_004, 2_005])).toMatch(/^…b{400}$/);
  });

  it('never splits a grapheme', () => {
    const family = '👨‍👩‍👧‍👦';
    fc.assert(
      fc.property(fc.nat(600), fc.nat(300), (lead, at) => {
        const line = `${'x'.repeat(lead)}${family.repeat(100)}`;
        const rest = cutLine(line, [lead + at, lead + at + 1])
          .replace(/^…?x*/, '')
          .replace(/…$/, '');
        expect(rest.replaceAll(family, '')).toBe('');
      }),
    );
  });
});

describe('`cutMasked` with a secret in the line', () => {
  const SECRET = ['s3cr3t', 'Token', '0123456789'.repeat(4)].join('');
  const mask = async (text: string): Promise<string> => text.replaceAll(SECRET, '[secret:token]');
  const cut = async (line: string, at: number): Promise<string> => {
    const long = longLine(line, [at, at + 1]);
    return long === undefined ? line : cutMasked(long, mask);
  };

  it('shows no part of the secret, at any cut', async () => {
    const parts = Array.from({ length: SECRET.length - 7 }, (_, at) => SECRET.slice(at, at + 8));
    for (let lead = 40; lead < 480; lead += 3) {
      const line = `${'ab '.repeat(lead).slice(0, lead)}${SECRET}${' cd'.repeat(400)}`;
      for (const at of [0, lead - 5, lead + 30, lead + 160, lead + 400]) {
        const shown = await cut(line, at);
        expect(shown.length).toBeLessThanOrEqual(402);
        expect(parts.filter((part) => shown.includes(part))).toEqual([]);
      }
    }
  });

  it('still cuts around the match, before and after the secret', async () => {
    const line = `${'ab '.repeat(200)}MATCH ${SECRET} ${'cd '.repeat(200)}SECOND${' ef'.repeat(200)}`;
    expect(await cut(line, line.indexOf('MATCH'))).toContain('MATCH [secret:token] cd');
    expect(await cut(line, line.indexOf('SECOND'))).toMatch(/^….{90,110}SECOND ef/);
  });

  it('marks the cut if the line has more text before the masked part', async () => {
    const shown = await cut(`${'x'.repeat(100_000)} ${SECRET.repeat(700)}`, 100_100);
    expect(shown).toMatch(/^…/);
  });
});

describe('`cutBeforeWord`', () => {
  it('returns a short line unchanged, and drops the word at the cut of a longer line', () => {
    expect(cutBeforeWord('one two', 7)).toBe('one two');
    expect(cutBeforeWord('one two three', 9)).toBe('one two …');
    expect(cutBeforeWord('one two three', 7)).toBe('one two…');
    expect(cutBeforeWord('one "two-three"', 9)).toBe('one "…');
    expect(cutBeforeWord('onetwothree', 5)).toBe('…');
  });
});
