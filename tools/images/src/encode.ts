// Encodes an image again within a number of bytes. The result is upright, has only the first frame, and has colors that
// every provider accepts. PNG keeps the text of a screenshot readable. An image that is too large as PNG becomes a
// JPEG. For a smaller JPEG, the quality is reduced first, then the size.

import type { ImageSize } from '@tidemark/model';
import type { Sharp } from 'sharp';
import type { Sendable } from './image-format.ts';
import type { ImageLibrary } from './load-sharp.ts';
import type { SeenImage } from './look-into.ts';
import { MAX_PIXELS } from './look-into.ts';

export interface EncodedImage {
  readonly format: Sendable;
  readonly data: Uint8Array;
  readonly size: ImageSize;
}

/** JPEG qualities, tried in this order. At the lowest quality, the letters of a screenshot are still readable. */
const QUALITIES = [85, 60] as const;
/** Factor by which width and height shrink when no quality is small enough. */
const SHRINK = 0.8;
/** Maximum time for decoding, in seconds. */
const PATIENCE = 30;

/**
 * Decodes the whole image to check it.
 *
 * @throws the error of the library for a damaged or cut file.
 */
export async function decodes(sharp: ImageLibrary, image: SeenImage): Promise<void> {
  await openImage(sharp, image).raw().toBuffer();
}

/**
 * Encodes an image with at most `bytes` bytes, at the given size or smaller.
 *
 * @throws the error of the library for a damaged or cut file.
 */
export async function encode(
  sharp: ImageLibrary,
  image: SeenImage,
  size: ImageSize,
  bytes: number,
): Promise<EncodedImage> {
  for (let now = size; ; now = shrinkSize(now)) {
    const written = await writtenWithin(sharp, image, now, bytes);
    if (written !== undefined) return { ...written, size: now };
  }
}

async function writtenWithin(
  sharp: ImageLibrary,
  image: SeenImage,
  size: ImageSize,
  bytes: number,
): Promise<Pick<EncodedImage, 'format' | 'data'> | undefined> {
  const pixels = await resizeImage(sharp, image, size).raw().toBuffer({ resolveWithObject: true });
  const again = (): Sharp => {
    const { width, height, channels } = pixels.info;
    return sharp(pixels.data, { raw: { width, height, channels } });
  };
  if (image.format !== 'JPEG') {
    const data = await again().png().toBuffer();
    if (data.length <= bytes) return { format: 'PNG', data };
  }
  for (const quality of QUALITIES) {
    const data = await again().flatten({ background: '#fff' }).jpeg({ quality, chromaSubsampling: '4:4:4' }).toBuffer();
    if (data.length <= bytes || Math.max(size.width, size.height) === 1) return { format: 'JPEG', data };
  }
  return undefined;
}

function resizeImage(sharp: ImageLibrary, image: SeenImage, { width, height }: ImageSize): Sharp {
  return openImage(sharp, image).autoOrient().resize(width, height, { fit: 'fill' }).toColourspace('srgb');
}

/** Opens the first frame of an image. A file that ends early is an error and is not shown as a half-grey image. */
function openImage(sharp: ImageLibrary, { data }: SeenImage): Sharp {
  return sharp(data, { failOn: 'error', limitInputPixels: MAX_PIXELS }).timeout({ seconds: PATIENCE });
}

function shrinkSize({ width, height }: ImageSize): ImageSize {
  return { width: Math.max(1, Math.floor(width * SHRINK)), height: Math.max(1, Math.floor(height * SHRINK)) };
}
