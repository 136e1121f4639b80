// Tests for the token count of an image, with examples that the providers publish. Also checks that `@tidemark/model`,
// which has its own counting code, returns the same numbers.

import type { ImageInput } from '@tidemark/model';
import { imageTokens as countedByModel } from '@tidemark/model';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { imageTokens, imageSize, imageType } from './tokens.ts';
import type { PixelSize } from './tokens.ts';

function png(width: number, height: number): string {
  const head = Buffer.alloc(32);
  head.write('\u0089PNG\r\n\u001A\n\0\0\0\rIHDR', 'latin1');
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return head.toString('base64');
}

const HIGH: ImageInput = { side: 2_576, count: { by: 'patches', size: 28, most: 4_784 } };

const STANDARD: ImageInput = { side: 1_568, count: { by: 'patches', size: 28, most: 1_568 } };

const SQUARES: ImageInput = { count: { by: 'tiles', base: 85, each: 170 } };

const ORIGINAL: ImageInput = { count: { by: 'patches', size: 32, each: 1.2 } };

describe('imageTokens', () => {
  test.each<readonly [width: number, height: number, images: ImageInput, tokens: number]>([
    [1_000, 1_000, STANDARD, 1_296],
    [1_092, 1_092, STANDARD, 1_521],
    [1_920, 1_080, STANDARD, 1_560],
    [1_920, 1_080, HIGH, 2_691],
    [3_840, 2_160, HIGH, 4_784],
    [1_075, 1_520, STANDARD, 1_551],
    [1_075, 1_520, HIGH, 2_145],
    [1_024, 1_024, SQUARES, 765],
    [2_048, 4_096, SQUARES, 1_105],
    [1_024, 1_024, ORIGINAL, 1_229],
    [1, 1, HIGH, 1],
  ])('returns the published token count for %i x %i pixels', (width, height, images, tokens) => {
    expect(imageTokens(png(width, height), images)).toBe(tokens);
  });

  test('returns 1,600 if the size cannot be read, and uses the default rule if the model has none', () => {
    expect([imageTokens('AAAA', HIGH), imageTokens('', HIGH)]).toEqual([1_600, 1_600]);
    expect(imageTokens(png(1_000, 1_000), undefined)).toBe(1_296);
  });
});

test('the simulator and `@tidemark/model` count the same tokens for an image', () => {
  const side = fc.integer({ min: 1, max: 9_000 });
  fc.assert(
    fc.property(side, side, fc.constantFrom(HIGH, STANDARD, SQUARES, ORIGINAL), (width, height, images) => {
      expect(imageTokens(png(width, height), images)).toBe(countedByModel(images, { width, height }));
    }),
  );
});

/** Appends 24 zero bytes to an image header, because `imageSize` reads at least 24 bytes. Returns the base64 text. */
function base64(...bytes: readonly number[]): string {
  return Buffer.from([...bytes, ...Array.from({ length: 24 }, () => 0)]).toString('base64');
}

const PNG = [
  0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 4, 0, 0, 0, 3, 0,
];

const GIF = [0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 0x40, 0x01, 0xc8, 0x00];

const JPEG = [0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc4, 0, 3, 0, 0xff, 0xc2, 0, 11, 8, 0x02, 0x58, 0x03, 0x20];

test.each<[string, string, PixelSize | undefined]>([
  ['a PNG', base64(...PNG), { width: 1024, height: 768 }],
  ['a GIF', base64(...GIF), { width: 320, height: 200 }],
  ['a JPEG, after its other segments', base64(...JPEG), { width: 800, height: 600 }],
  ['bytes that are not an image', base64(1, 2, 3), undefined],
  ['an empty string', '', undefined],
])(
  '`imageSize` returns the size in the image header, or undefined if there is no image header: %s',
  (_, picture, size) => {
    expect(imageSize(picture)).toEqual(size);
  },
);

test('`imageType` recognizes an image by its first bytes', () => {
  const webp = Buffer.from('RIFF\0\0\0\0WEBPVP8 ', 'latin1').toString('base64');
  expect([base64(...PNG), base64(...GIF), base64(...JPEG), webp, base64(1, 2)].map(imageType)).toEqual([
    'image/png',
    'image/gif',
    'image/jpeg',
    'image/webp',
    undefined,
  ]);
});
