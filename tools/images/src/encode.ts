// An image written anew: upright, its first frame, in the colours that all take, within so many bytes. PNG keeps what a
// screenshot says; what is too heavy for that is a JPEG, whose quality goes down before its size does.

import type { ImageSize } from '@tidemark/model';
import type { Sharp } from 'sharp';
import type { Sendable } from './image-format.ts';
import type { ImageLibrary } from './load-sharp.ts';
import type { SeenImage } from './look-into.ts';
import { MOST_PIXELS } from './look-into.ts';

/** What was written. */
export interface EncodedImage {
  readonly format: Sendable;
  readonly data: Uint8Array;
  readonly size: ImageSize;
}

/** Down to where the letters of a screenshot can still be read. */
const QUALITIES = [85, 60] as const;
/** How much smaller it becomes where no quality is enough. */
const SHRINK = 0.8;
/** Decoding takes this long at most, in seconds. */
const PATIENCE = 30;

/** The whole is decoded. @throws what the library says of a damaged or cut file. */
export async function decodes(sharp: ImageLibrary, image: SeenImage): Promise<void> {
  await openImage(sharp, image).raw().toBuffer();
}

/** Within the bytes, at this size or below. @throws what the library says of a damaged or cut file. */
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

/** One frame; a file that ends early is an error, not a grey half. */
function openImage(sharp: ImageLibrary, { data }: SeenImage): Sharp {
  return sharp(data, { failOn: 'error', limitInputPixels: MOST_PIXELS }).timeout({ seconds: PATIENCE });
}

function shrinkSize({ width, height }: ImageSize): ImageSize {
  return { width: Math.max(1, Math.floor(width * SHRINK)), height: Math.max(1, Math.floor(height * SHRINK)) };
}
