import zlib from 'node:zlib';
import type { Sharp } from 'sharp';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import type { FittedImage, ImageBounds } from '@tidemark/agent';
import { imageTokens, sentSize } from '@tidemark/model';
import { createImageFitter } from './image-fitter.ts';

const MIB = 1_048_576;

/** Bounds of a model that shows images with at most 1,568 pixels per side. */
const bounds = (bytes = MIB): ImageBounds => ({
  sizeFor: (size) => sentSize({ side: 1_568, count: { by: 'patches', size: 28, most: 1_568 } }, size),
  bytes,
});

const fit = (data: Uint8Array, bytes?: number): ReturnType<ReturnType<typeof createImageFitter>['fit']> =>
  createImageFitter().fit(data, bounds(bytes));

async function fitted(data: Uint8Array, bytes?: number): Promise<FittedImage> {
  const made = await fit(data, bytes);
  return 'problem' in made ? expect.unreachable(made.problem) : made;
}

async function problemOf(data: Uint8Array): Promise<string> {
  const made = await fit(data);
  return 'problem' in made ? made.problem : expect.unreachable('it fits');
}

/** Returns a plain picture. With `noise`, returns a picture that cannot be compressed well. */
function drawn(width: number, height: number, noise = false): Sharp {
  const background = { r: 40, g: 90, b: 160 };
  const made = { width, height, channels: 3, background } as const;
  return sharp({
    create: noise ? { ...made, noise: { type: 'gaussian', mean: 128, sigma: 50 } } : made,
  });
}

describe('an image that fits', () => {
  test.each(['png', 'jpeg', 'gif', 'webp'] as const)('is returned unchanged, byte for byte: %s', async (format) => {
    const data = await drawn(320, 200).toFormat(format).toBuffer();
    const made = await fitted(data);
    expect(Buffer.from(made.data).equals(data)).toBe(true);
    expect(made).toMatchObject({ mediaType: `image/${format}`, width: 320, height: 200, changes: [] });
  });

  test('gets its media type from its bytes', async () => {
    const jpeg = await drawn(8, 8).jpeg().toBuffer();
    expect((await fitted(jpeg)).mediaType).toBe('image/jpeg');
  });
});

describe('an image that does not fit', () => {
  test('is scaled down to the size that the model uses, and the original size is reported', async () => {
    const made = await fitted(await drawn(3_840, 2_160).png().toBuffer());
    expect(made).toMatchObject({ mediaType: 'image/png', width: 1_456, height: 819 });
    expect(made.changes).toEqual(['scaled down from 3840 x 2160']);
    expect(await sharp(made.data).metadata()).toMatchObject({ width: 1_456, height: 819 });
  });

  test('is encoded to the same bytes each time, so it is stored only once', async () => {
    const data = await drawn(2_400, 1_000, true).png().toBuffer();
    const [one, other] = [await fitted(data), await fitted(data)];
    expect(Buffer.from(one.data).equals(other.data)).toBe(true);
  });

  test('has as many tokens as the provider would count for the original', async () => {
    const standard = { side: 1_568, count: { by: 'patches', size: 28, most: 1_568 } } as const;
    const made = await fitted(await drawn(3_840, 2_160).png().toBuffer());
    expect(imageTokens(standard, made)).toBe(imageTokens(standard, { width: 3_840, height: 2_160 }));
  });

  test('becomes a JPEG if it is too large as PNG, and is scaled down if no quality is small enough', async () => {
    const heavy = await drawn(1_400, 800, true).png().toBuffer();
    expect(heavy.length).toBeGreaterThan(MIB);
    const jpeg = await fitted(heavy);
    expect([jpeg.mediaType, jpeg.width, jpeg.changes]).toEqual(['image/jpeg', 1_400, ['compressed as JPEG']]);
    expect(jpeg.data.length).toBeLessThanOrEqual(MIB);
    const small = await fitted(heavy, 40_000);
    expect(small.data.length).toBeLessThanOrEqual(40_000);
    expect(small.width).toBeLessThan(1_400);
    expect(small.changes).toEqual(['scaled down from 1400 x 800', 'compressed as JPEG']);
  });

  test('is turned upright if its file asks for a rotation, and its reported width and height are the values after the rotation', async () => {
    const lying = await drawn(60, 20).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const made = await fitted(lying);
    expect(made).toMatchObject({ width: 20, height: 60, changes: ['turned upright'] });
    expect(await sharp(made.data).metadata()).toMatchObject({ width: 20, height: 60 });
  });

  test.each(['gif', 'webp'] as const)(
    'is reduced to the first frame of an animation, and the change is reported: %s',
    async (format) => {
      const frames = await Promise.all(
        ['red', 'lime', 'blue'].map((background) =>
          sharp({ create: { width: 40, height: 30, channels: 3, background } })
            .png()
            .toBuffer(),
        ),
      );
      const moving = await sharp(frames, { join: { animated: true } })
        .toFormat(format, { delay: [100, 100, 100], lossless: true })
        .toBuffer();
      const made = await fitted(moving);
      expect(made).toMatchObject({ mediaType: 'image/png', width: 40, height: 30, changes: ['the first of 3 frames'] });
      const { data } = await sharp(made.data).removeAlpha().raw().toBuffer({ resolveWithObject: true });
      expect([...data.subarray(0, 3)]).toEqual([255, 0, 0]);
    },
  );

  test('is converted to 8 bits and RGB if it has 16 bits or is in CMYK', async () => {
    const deep = await drawn(30, 20).toColourspace('rgb16').png().toBuffer();
    expect(await sharp(deep).metadata()).toMatchObject({ depth: 'ushort' });
    expect(await sharp((await fitted(deep)).data).metadata()).toMatchObject({ depth: 'uchar', space: 'srgb' });
    const inks = await drawn(30, 20).toColourspace('cmyk').jpeg().toBuffer();
    expect(await sharp(inks).metadata()).toMatchObject({ space: 'cmyk' });
    expect(await sharp((await fitted(inks)).data).metadata()).toMatchObject({ format: 'jpeg', space: 'srgb' });
  });
});

describe('an image that cannot be sent', () => {
  test('is reported with its kind and the next step', async () => {
    const svg =
      '<?xml version="1.0"?>\n<!-- a -->\n<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>';
    expect(await problemOf(Buffer.from(svg))).toBe(
      'its format is SVG, which no provider accepts: read it as text, or convert it to PNG',
    );
    expect(await problemOf(Buffer.from('II*\0\x08\0\0\0', 'latin1'))).toContain('its format is TIFF');
    expect(await problemOf(Buffer.from('just words'))).toContain('not a PNG, JPEG, GIF or WebP image');
    expect(await problemOf(new Uint8Array())).toBe('it is empty');
  });

  test.each(['png', 'jpeg', 'webp', 'gif'] as const)('is reported if it is damaged or cut off: %s', async (format) => {
    const whole = await drawn(200, 200, true).toFormat(format).toBuffer();
    expect(await problemOf(whole.subarray(0, whole.length / 2))).toContain('is damaged or cut off');
    expect(await problemOf(whole.subarray(0, 24))).toContain('is damaged or cut off');
  });

  test('is refused by its header alone if it would have too many pixels', async () => {
    const bomb = Buffer.from(await drawn(16, 16).png().toBuffer());
    bomb.writeUInt32BE(50_000, 16);
    bomb.writeUInt32BE(50_000, 20);
    bomb.writeUInt32BE(zlib.crc32(bomb.subarray(12, 29)), 29);
    const before = process.memoryUsage().rss;
    expect(await problemOf(bomb)).toBe('it has 50000 x 50000 pixels, and the maximum is 64000000: make a smaller copy');
    expect(process.memoryUsage().rss - before).toBeLessThan(256 * MIB);
  });
});
