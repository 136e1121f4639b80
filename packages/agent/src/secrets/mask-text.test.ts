import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMasker, soughtIn } from './mask-text.ts';

const TOKEN = 'tok-0123456789abcdef';
// The windows are small, so a text of a few hundred characters consists of many windows.
const sought = { ...soughtIn([{ name: 'A_TOKEN', value: TOKEN }]), reach: 64, window: 256 };
const GITHUB = `ghp_${'a1B2'.repeat(9)}`;

async function masked(pieces: readonly string[]): Promise<string> {
  const masker = createMasker(sought);
  let text = '';
  for (const piece of pieces) text += await masker.push(piece);
  return text + (await masker.end());
}

function cutAt(text: string, places: readonly number[]): readonly string[] {
  const ends = [...places.map((place) => place % (text.length + 1)), text.length].toSorted((a, b) => a - b);
  return ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end));
}

const filler = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.constantFrom('\n', ' ', 'x'.repeat(200), '😀'.repeat(90), 'a line\n'.repeat(30)),
);
const text = fc
  .array(fc.oneof({ weight: 3, arbitrary: filler }, fc.constantFrom(TOKEN, ` ${GITHUB} `)), { maxLength: 20 })
  .map((pieces) => pieces.join(''));

describe('a masker', () => {
  it('returns the same text for any cut into pieces', async () => {
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.nat(), { maxLength: 10 }), async (one, places) => {
        expect(await masked(cutAt(one, places))).toBe(await masked([one]));
      }),
      { numRuns: 150 },
    );
  });

  it('masks every value, at any place where a window ends', async () => {
    await fc.assert(
      fc.asyncProperty(text, async (one) => {
        const result = await masked([one]);
        expect(result).not.toContain(TOKEN);
        expect(result).not.toContain(` ${GITHUB} `);
      }),
      { numRuns: 150 },
    );
  });

  it('keeps all other text, including characters of two UTF-16 units', async () => {
    await fc.assert(
      fc.asyncProperty(text, async (one) => {
        const result = await masked([one]);
        const pattern = new RegExp(`${TOKEN}|${GITHUB}`, 'g');
        expect(result.replaceAll(/\[secret:(?:A_TOKEN|github)\]/g, '')).toBe(one.replaceAll(pattern, ''));
      }),
      { numRuns: 150 },
    );
  });

  it('returns whole characters, so that each piece can be written as bytes', async () => {
    const masker = createMasker(sought);
    const piece = await masker.push('😀'.repeat(1_000));
    expect(piece.length).toBeGreaterThan(0);
    expect(piece.isWellFormed()).toBe(true);
  });
});
