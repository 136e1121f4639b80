import { describe, expect, it } from 'vitest';
import { imageSize } from './image-size.ts';

const hex = (text: string): Uint8Array => Buffer.from(text.replaceAll(' ', ''), 'hex');

const PNG = hex('89504e470d0a1a0a 0000000d 49484452 00000280 000001e0 08020000');
const GIF = hex('474946383961 8002 e001 f70000');
const JPEG = hex('ffd8 ffe0 0010 4a46494600010100000100010000 ffff c2 0011 08 01e0 0280 03 012200');
const LOSSY = hex('52494646 00000000 57454250 56503820 00000000 000000 9d012a 8002 e001');
const LOSSLESS = hex('52494646 00000000 57454250 5650384c 00000000 2f 7fc27700');
const EXTENDED = hex('52494646 00000000 57454250 56503858 0a000000 00000000 7f0200 df0100');

describe('the size of an image', () => {
  it.each([
    ['PNG', PNG],
    ['GIF', GIF],
    ['JPEG', JPEG],
    ['lossy WebP', LOSSY],
    ['lossless WebP', LOSSLESS],
    ['extended WebP', EXTENDED],
  ])('is read from the header of a %s', (_, bytes) => {
    expect(imageSize(bytes)).toEqual({ width: 640, height: 480 });
  });

  it('is unknown for other bytes, and for a header cut anywhere', () => {
    expect(imageSize(Buffer.from('no image at all, only text'))).toBeUndefined();
    for (const bytes of [PNG, GIF, JPEG, LOSSY, LOSSLESS, EXTENDED]) {
      for (let cut = 0; cut < 9; cut += 1) expect(imageSize(bytes.subarray(0, cut))).toBeUndefined();
    }
  });
});
