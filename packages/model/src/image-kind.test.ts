import fc from 'fast-check';
import { expect, test } from 'vitest';
import { imageKind } from './image-kind.ts';

const bytes = (...parts: readonly (string | readonly number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))));

const PNG = '\x89PNG\r\n\x1a\n';
const JPEG = bytes([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xff, 0xc4, 0, 2, 0xff, 0xc2, 0, 17, 8, 1, 224, 2, 128]);

test('`imageKind` reads the width and height of each kind from its header', () => {
  expect(imageKind(bytes(PNG, [0, 0, 0, 13], 'IHDR', [0, 0, 2, 128, 0, 0, 1, 224]))).toEqual({
    mediaType: 'image/png',
    pixels: { width: 640, height: 480 },
  });
  expect(imageKind(bytes('GIF89a', [128, 2, 224, 1]))).toMatchObject({ pixels: { width: 640, height: 480 } });
  expect(imageKind(JPEG)).toEqual({ mediaType: 'image/jpeg', pixels: { width: 640, height: 480 } });
  const extended = bytes('RIFF', [0, 0, 0, 0], 'WEBPVP8X', [10, 0, 0, 0, 0, 0, 0, 0, 127, 2, 0, 223, 1, 0]);
  expect(imageKind(extended)).toEqual({ mediaType: 'image/webp', pixels: { width: 640, height: 480 } });
  const lossless = bytes('RIFF', [0, 0, 0, 0], 'WEBPVP8L', [0, 0, 0, 0, 0x2f, 0x7f, 0xc2, 0x77, 0]);
  expect(imageKind(lossless)).toMatchObject({ pixels: { width: 640, height: 480 } });
  const lossy = bytes('RIFF', [0, 0, 0, 0], 'WEBPVP8 ', [0, 0, 0, 0, 0, 0, 0, 0x9d, 1, 0x2a, 128, 2, 224, 1]);
  expect(imageKind(lossy)).toMatchObject({ pixels: { width: 640, height: 480 } });
});

test('`imageKind` returns undefined for text that only names an image format', () =>
  expect(imageKind(Buffer.from('PNG'))).toBeUndefined());

test('`imageKind` returns no pixel size for a cut or damaged header, and never throws', () => {
  expect(imageKind(bytes(PNG))).toEqual({ mediaType: 'image/png', pixels: undefined });
  for (let cut = 3; cut < JPEG.length; cut += 1)
    expect(imageKind(JPEG.subarray(0, cut))).toEqual({ mediaType: 'image/jpeg', pixels: undefined });
  const heads = fc.constantFrom(
    PNG,
    '\xff\xd8\xff',
    'GIF87a',
    'RIFF\0\0\0\0WEBPVP8X',
    'RIFF\0\0\0\0WEBPVP8L',
    'RIFF\0\0\0\0WEBPVP8 ',
  );
  fc.assert(
    fc.property(heads, fc.uint8Array({ maxLength: 40 }), (head, rest) => {
      expect(imageKind(bytes(head, [...rest]))).toBeDefined();
    }),
    { numRuns: 500 },
  );
});
