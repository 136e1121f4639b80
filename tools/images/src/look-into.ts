// What an image is, by its header alone: nothing is decoded yet, so that a small file that would unpack to gigabytes is
// refused before it does.

import type { ImageSize } from '@tidemark/model';
import type { Sendable } from './image-format.ts';
import type { ImageLibrary } from './load-sharp.ts';

/** An image whose header was read. */
export interface SeenImage {
  readonly format: Sendable;
  readonly data: Uint8Array;
  /** As it is seen: turned upright. */
  readonly size: ImageSize;
  /** Its file says that it is to be turned to be seen. */
  readonly turned: boolean;
  readonly frames: number;
  /** Colours that every provider takes: 8 bits, grey or RGB. */
  readonly plain: boolean;
}

/** Most pixels that are decoded: the largest that phones take, and 256 MB of memory. */
export const MOST_PIXELS = 64_000_000;

/** @throws what the library says of a header that it cannot read. */
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
