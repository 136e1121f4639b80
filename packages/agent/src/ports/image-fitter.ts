// The port to whoever can look into images: what a model is sent is made once, before it is kept, and never again.

import type { ImagePart } from '@tidemark/log';
import type { ImageSize } from '@tidemark/model';

/** Makes images fit to be sent. */
export interface ImageFitter {
  /** The image as it is where it fits, else made to; or why it cannot be sent, in words that tell the next step. */
  fit(data: Uint8Array, bounds: ImageBounds): Promise<FittedImage | UnfitImage>;
}

/** What is sent at most. */
export interface ImageBounds {
  /** The size at which an image of this one is sent, in pixels as they are seen. */
  sizeFor(size: ImageSize): ImageSize;
  readonly bytes: number;
}

/** An image that every provider takes. */
export interface FittedImage extends Required<Pick<ImagePart, 'mediaType' | 'width' | 'height'>> {
  readonly data: Uint8Array;
  /** What was done that a reader should know: `scaled down from 3840 x 2160`, `the first of 12 frames`. */
  readonly changes: readonly string[];
}

/** It is not sent. */
export interface UnfitImage {
  readonly problem: string;
}

/** An image as somebody says or returns it. */
export interface GivenImage {
  readonly type: 'image';
  /** A PNG, JPEG, GIF or WebP, told by its bytes. */
  readonly data: Uint8Array;
  /** What an error calls it. No model is told. */
  readonly name?: string;
}
