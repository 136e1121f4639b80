// Encodes an image again within a number of bytes. The result is upright, has only the first frame, and has colors that
// every provider accepts. In PNG format, the text of a screenshot remains readable. If an image is too large as PNG, it
// becomes a JPEG. To make a JPEG smaller, first its quality is reduced, then its size.

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

/** JPEG qualities, tried in this order. Even at the lowest quality, the letters of a screenshot are readable. */
const QUALITIES = [85, 60] as const;
/** Factor for the next width and height. It is used when the image is too large at every quality. */
const SHRINK = 0.8;
/** Maximum time for decoding, in seconds. */
const PATIENCE = 30;

/**
 * Decodes the whole image to check it.
 *
 * @throws the error of the library for a damaged or incomplete file.
 */
export async function decodes(sharp: ImageLibrary, image: SeenImage): Promise<void> {
  await openImage(sharp, image).raw().toBuffer();
}

/**
 * Encodes an image with at most `bytes` bytes, at the given size or smaller.
 *
 * @throws the error of the library for a damaged or incomplete file.
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

/**
 * Opens the first frame of an image. If a file ends early, this is an error. The image is not shown with a gray half.
 */
function openImage(sharp: ImageLibrary, { data }: SeenImage): Sharp {
  return sharp(data, { failOn: 'error', limitInputPixels: MAX_PIXELS }).timeout({ seconds: PATIENCE });
}

function shrinkSize({ width, height }: ImageSize): ImageSize {
  return { width: Math.max(1, Math.floor(width * SHRINK)), height: Math.max(1, Math.floor(height * SHRINK)) };
}
