// This simulator's own count of tokens, for texts and pictures whose size nobody gave: bytes of UTF-8 by four, pictures by the
// rules that the makers publish for their models; what those are for one stands in its row. It is no tokenizer and does not claim
// to be one, and how `model` counts for the encoders is not asked.

import type { Capabilities } from '@tidemark/model';
import type { PixelSize } from './image-size.ts';
import { imageSize } from './image-size.ts';

/** Recorded size of the block with this running number, if it is known. */
export type RecordedSizes = (index: number) => number | undefined;

const BYTES_PER_TOKEN = 4;

/** Tokens of a text: its bytes of UTF-8 by four, rounded up. */
export function countText(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

type ImagePricing = Capabilities['images'];

/** What a picture comes to whose size cannot be read. */
const UNKNOWN = 1600;

/** The rule of a row that tells none. */
const USUAL = { side: 1568, count: { by: 'patches', size: 28, most: 1568 } } as const satisfies ImagePricing;

/**
 * Tokens of a picture behind the service's own scaling: patches (docs.anthropic.com/en/docs/vision, "Resolution and token
 * cost"; developers.openai.com/api/docs/guides/images-vision, "Patch-based"), or tiles ("Tile-based"). At least 1.
 */
export function imageTokens(base64: string, images: ImagePricing): number {
  const size = imageSize(base64);
  if (size === undefined || size.width * size.height === 0) return size === undefined ? UNKNOWN : 1;
  const rule: Exclude<ImagePricing, string | undefined> = typeof images === 'object' ? images : USUAL;
  const { count, side = Infinity } = rule;
  if (count.by === 'tiles') return count.base + count.each * tiles(size);
  const patches = patchesWithin(size, count.size, Math.min(side, longer(size)), count.most ?? Infinity);
  return Math.max(1, Math.ceil(patches * (count.each ?? 1)));
}

function longer({ width, height }: PixelSize): number {
  return Math.max(width, height);
}

/** Patches at the longest side, pixel by pixel down from `side`, at which they are no more than `most`. */
function patchesWithin(size: PixelSize, patch: number, side: number, most: number): number {
  const ratio = Math.min(size.width, size.height) / longer(size);
  // The patches never fall below the area in patches: from there on it is worth looking at each pixel.
  const reach = Math.ceil(patch * Math.sqrt(most / ratio)) + patch;
  for (let long = Math.min(side, reach); long > 0; long -= 1) {
    const short = Math.max(1, Math.round(long * ratio));
    const patches = Math.ceil(long / patch) * Math.ceil(short / patch);
    if (patches <= most) return patches;
  }
  return 1;
}

/** Into 2,048 by 2,048, then the shorter side to 768, then squares of 512. Nothing is enlarged. */
function tiles({ width, height }: PixelSize): number {
  const into = Math.min(1, 2048 / Math.max(width, height));
  const down = Math.min(1, 768 / (Math.min(width, height) * into)) * into;
  return Math.ceil((width * down) / 512) * Math.ceil((height * down) / 512);
}
