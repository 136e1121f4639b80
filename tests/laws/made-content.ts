// The bytes that random sessions are made of: texts that name themselves, and images.

import { createHash } from 'node:crypto';
import type { Digest, ImagePart } from '@tidemark/log';
import { digest } from '@tidemark/log';

/** A text of about that many characters that no other text is a part of. */
export function words(nonce: number, size: number): string {
  const name = `<${nonce}>`;
  const filler = 'the gauge is read at the quay and the mark is set where the water stood ';
  return `${name} ${filler.repeat(Math.ceil(size / filler.length))}`.slice(0, Math.max(name.length, size));
}

/** An image with its bytes. */
export interface MadeImage {
  readonly part: ImagePart<Digest>;
  readonly bytes: Uint8Array;
}

/** Images of accepted kinds, one of a kind that is not, and an empty one. */
export const IMAGES: readonly MadeImage[] = [
  image('image/png', 300, { width: 640, height: 480 }),
  image('image/jpg', 90),
  image('image/bmp', 40),
  image('image/webp', 0),
  image('IMAGE/GIF', 7, { width: 1, height: 1 }),
];

function image(
  mediaType: string,
  size: number,
  pixels: { readonly width?: number; readonly height?: number } = {},
): MadeImage {
  const bytes = new Uint8Array(size).map((_, index) => (index * 7 + size) % 256);
  const artifact = digest(createHash('sha256').update(bytes).digest('hex'));
  return { bytes, part: { type: 'image', artifact, mediaType, bytes: size, ...pixels } };
}
