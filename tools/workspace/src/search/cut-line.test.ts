// What is shown of a long line.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutLine } from './cut-line.ts';

describe('a line', () => {
  it('is whole up to 400 characters', () => {
    expect(cutLine('x'.repeat(400))).toBe('x'.repeat(400));
  });

  it('is cut around its match, and says on which side', () => {
    const line = `${'a'.repeat(1_000)}MATCH${'b'.repeat(1_000)}`;
    const shown = cutLine(line, [1_000, 1_005]);
    expect(shown).toBe(`…${'a'.repeat(100)}MATCH${'b'.repeat(295)}…`);
    expect(cutLine(`MATCH${line}`, [0, 5])).toMatch(/^MATCHa+…$/);
    expect(cutLine(line, [2_004, 2_005])).toMatch(/^…b{400}$/);
  });

  it('keeps graphemes whole, wherever it is cut', () => {
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
