// Tests for the token count of an image, with examples that the providers publish. Also checks that `@tidemark/model`
// returns the same numbers, because it has its own counting code.

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

/** Returns the header of a WebP whose first chunk has this name and this content. */
function webp(chunk: string, ...content: readonly number[]): Buffer {
  const named = Buffer.from(`RIFF\u0000\u0000\u0000\u0000WEBP${chunk}\u0000\u0000\u0000\u0000`, 'latin1');
  return Buffer.concat([named, Buffer.from(content)]);
}

const LOSSY = webp('VP8 ', 0x10, 0, 0, 0x9d, 0x01, 0x2a, 0x20, 0x43, 0x58, 0x82);

const LOSSLESS = webp('VP8L', 0x2f, 0x1f, 0xc3, 0x95, 0x10);

const EXTENDED = webp('VP8X', 0x10, 0, 0, 0, 0x1f, 0x03, 0, 0x57, 0x02, 0);

describe('`imageSize` of a WebP', () => {
  const size = { width: 800, height: 600 };

  test.each([
    ['lossy, without the scaling bits', LOSSY, size],
    ['lossless', LOSSLESS, size],
    ['extended', EXTENDED, size],
    [
      'extended, with the largest canvas',
      webp('VP8X', 0, 0, 0, 0, ...Array.from({ length: 6 }, () => 255)),
      { width: 2 ** 24, height: 2 ** 24 },
    ],
    ['lossy, with no pixels', webp('VP8 ', 0, 0, 0, 0x9d, 0x01, 0x2a, 0, 0xc0, 0, 0x40), { width: 0, height: 0 }],
  ])('returns the size in its first chunk: %s', (_, bytes, expected) => {
    expect(imageSize(bytes.toString('base64'))).toEqual(expected);
  });

  test.each([
    ['a frame that is not a key frame', webp('VP8 ', 0x11, 0, 0, 0x9d, 0x01, 0x2a, 0x20, 0x03, 0x58, 0x02)],
    ['a frame without its start code', webp('VP8 ', 0x10, 0, 0, 0x9d, 0x01, 0x2b, 0x20, 0x03, 0x58, 0x02)],
    ['a lossless chunk without its signature', webp('VP8L', 0x2e, 0x1f, 0xc3, 0x95, 0x10)],
    ['a first chunk of another kind', webp('EXIF', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)],
    ['no chunk', webp('VP8 ').subarray(0, 12)],
  ])('returns undefined, and the image counts 1,600 tokens: %s', (_, bytes) => {
    expect(imageSize(bytes.toString('base64'))).toBeUndefined();
    expect(imageTokens(bytes.toString('base64'), STANDARD)).toBe(1_600);
  });

  test('returns undefined for a header that is cut off at any byte', () => {
    const cuts = [LOSSY, LOSSLESS, EXTENDED].flatMap((bytes) =>
      Array.from({ length: bytes.length }, (_, end) => imageSize(bytes.subarray(0, end).toString('base64'))),
    );
    expect(cuts.length).toBe(85);
    expect(new Set(cuts)).toEqual(new Set([undefined]));
  });

  test('returns a size within the limits of the format for any bytes after its header', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('VP8 ', 'VP8L', 'VP8X', 'ALPH'),
        fc.uint8Array({ maxLength: 40 }),
        (chunk, content) => {
          const found = imageSize(webp(chunk, ...content).toString('base64'));
          if (found === undefined) return;
          const most = chunk === 'VP8X' ? 2 ** 24 : 2 ** 14;
          expect(Math.min(found.width, found.height)).toBeGreaterThanOrEqual(0);
          expect(Math.max(found.width, found.height)).toBeLessThanOrEqual(most);
          expect(imageTokens(webp(chunk, ...content).toString('base64'), STANDARD)).toBeLessThanOrEqual(1_600);
        },
      ),
    );
  });

  test('counts its tokens by the rule of the model', () => {
    expect(imageTokens(EXTENDED.toString('base64'), STANDARD)).toBe(countedByModel(STANDARD, size));
  });
});

test('`imageType` recognizes an image by its first bytes', () => {
  const first = LOSSY.toString('base64');
  expect([base64(...PNG), base64(...GIF), base64(...JPEG), first, base64(1, 2)].map(imageType)).toEqual([
    'image/png',
    'image/gif',
    'image/jpeg',
    'image/webp',
    undefined,
  ]);
});
