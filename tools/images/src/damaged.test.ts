// Tests the image fitter with damaged bytes. The result is always an image that can be sent, or a text. The fitter
// never throws, and its result never exceeds the bounds.

import type { ImageSize } from '@tidemark/model';
import fc from 'fast-check';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { createImageFitter } from './image-fitter.ts';

const FORMATS = ['png', 'jpeg', 'gif', 'webp'] as const;
const LONGEST = 40;
const BYTES = 4_000;

const whole = await Promise.all(
  FORMATS.map((format) =>
    sharp({
      create: {
        width: 60,
        height: 45,
        channels: 3,
        background: '#fff',
        noise: { type: 'gaussian', mean: 128, sigma: 60 },
      },
    })
      .toFormat(format)
      .toBuffer(),
  ),
);

/** Image file in which some bytes are changed. It is either complete or cut off at any byte. */
const damaged: fc.Arbitrary<Buffer> = fc
  .record({
    file: fc.constantFrom(...whole),
    changes: fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(255)), { maxLength: 4 }),
    head: fc.array(fc.tuple(fc.nat(40), fc.nat(255)), { maxLength: 1 }),
    kept: fc.oneof(
      { arbitrary: fc.constant(1), weight: 3 },
      { arbitrary: fc.double({ min: 0, max: 1, noNaN: true }), weight: 1 },
    ),
  })
  .map(({ file, changes, head, kept }) => {
    const bytes = Buffer.from(file);
    for (const [at, byte] of changes) bytes[Math.floor(at * (bytes.length - 1))] = byte;
    for (const [at, byte] of head) bytes[at] = byte;
    return bytes.subarray(0, Math.floor(kept * bytes.length));
  });

test('a damaged file becomes a decodable image within the bounds, or a text with the reason', async () => {
  const fitter = createImageFitter();
  const sizeFor = ({ width, height }: ImageSize): ImageSize => {
    const scale = Math.min(1, LONGEST / Math.max(width, height));
    return { width: Math.max(1, Math.floor(width * scale)), height: Math.max(1, Math.floor(height * scale)) };
  };
  let [fits, told] = [0, 0];
  await fc.assert(
    fc.asyncProperty(damaged, async (data) => {
      const made = await fitter.fit(data, { sizeFor, bytes: BYTES });
      if ('problem' in made) {
        told += 1;
        expect(made.problem).toMatch(/^(it|its) /);
        return;
      }
      fits += 1;
      expect([made.width <= LONGEST, made.height <= LONGEST, made.data.length <= BYTES]).toEqual([true, true, true]);
      const { info } = await sharp(made.data).raw().toBuffer({ resolveWithObject: true });
      expect([info.width, info.height]).toEqual([made.width, made.height]);
    }),
    { numRuns: 800 },
  );
  expect(Math.min(fits, told)).toBeGreaterThan(10);
});
