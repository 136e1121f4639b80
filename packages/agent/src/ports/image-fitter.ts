// Port to an image library. An image is prepared before it is stored. From then on it is always sent in the prepared
// form.

import type { ImagePart } from '@tidemark/log';
import type { ImageSize } from '@tidemark/model';

/** Prepares images so that they can be sent. */
export interface ImageFitter {
  /**
   * Returns the image unchanged if it fits. Otherwise returns a converted image. If the image cannot be sent, returns a
   * problem with the next action.
   */
  fit(data: Uint8Array, bounds: ImageBounds): Promise<FittedImage | UnfitImage>;
}

/** Limits of an image that is sent. */
export interface ImageBounds {
  /**
   * Returns the size in pixels in which an image of the given size is sent. Both sizes are the sizes of the upright
   * image.
   */
  sizeFor(size: ImageSize): ImageSize;
  readonly bytes: number;
}

/** An image that every provider accepts. */
export interface FittedImage extends Required<Pick<ImagePart, 'mediaType' | 'width' | 'height'>> {
  readonly data: Uint8Array;
  /** Changes to report to the reader: `scaled down from 3840 x 2160`, `the first of 12 frames`. */
  readonly changes: readonly string[];
}

/** An image that cannot be sent, and why. */
export interface UnfitImage {
  readonly problem: string;
}

/** An image as a prompt or a tool supplies it. */
export interface GivenImage {
  readonly type: 'image';
  /** Bytes of a PNG, JPEG, GIF or WebP. The format is detected from the bytes. */
  readonly data: Uint8Array;
  /** Name of the image in error messages. The model does not see it. */
  readonly name?: string;
}
