// Pixels from headers of pictures.

import { expect, test } from 'vitest';
import type { PixelSize } from './image-size.ts';
import { imageSize, imageType } from './image-size.ts';

/** A header, padded so that there is something behind it. */
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
  ['a JPEG, behind its other segments', base64(...JPEG), { width: 800, height: 600 }],
  ['bytes that are no picture', base64(1, 2, 3), undefined],
  ['nothing', '', undefined],
])('%s says its size', (_, picture, size) => {
  expect(imageSize(picture)).toEqual(size);
});

test('a picture says what it is by how it begins', () => {
  const webp = Buffer.from('RIFF\0\0\0\0WEBPVP8 ', 'latin1').toString('base64');
  expect([base64(...PNG), base64(...GIF), base64(...JPEG), webp, base64(1, 2)].map(imageType)).toEqual([
    'image/png',
    'image/gif',
    'image/jpeg',
    'image/webp',
    undefined,
  ]);
});
