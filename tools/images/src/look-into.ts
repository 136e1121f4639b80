// Reads the properties of an image from its header without decoding the image. A small file could decode to gigabytes.
// Such a file is refused before it uses memory.

import type { ImageSize } from '@tidemark/model';
import type { Sendable } from './image-format.ts';
import type { ImageLibrary } from './load-sharp.ts';

/** An image whose header has been read. */
export interface SeenImage {
  readonly format: Sendable;
  readonly data: Uint8Array;
  /** Size of the image after it is turned upright. */
  readonly size: ImageSize;
  /** True if the file asks for a rotation before display. */
  readonly turned: boolean;
  readonly frames: number;
  /** True if every provider accepts the colors: 8 bits per channel, gray or RGB. */
  readonly plain: boolean;
}

/**
 * Maximum number of pixels that are decoded. Even the largest photos of phones have fewer pixels. An image at the limit
 * needs 256 MB of memory.
 */
export const MAX_PIXELS = 64_000_000;

/**
 * Reads the header of an image.
 *
 * @throws the error of the library for a header that it cannot read.
 */
export async function lookInto(sharp: ImageLibrary, format: Sendable, data: Uint8Array): Promise<SeenImage> {
  const {
    autoOrient,
    orientation = 1,
    pages = 1,
    depth,
    space,
  } = await sharp(data, {
    limitInputPixels: false,
  }).metadata();
  return {
    format,
    data,
    size: { width: autoOrient.width, height: autoOrient.height },
    turned: orientation !== 1,
    frames: pages,
    plain: depth === 'uchar' && (space === 'srgb' || space === 'b-w'),
  };
}
