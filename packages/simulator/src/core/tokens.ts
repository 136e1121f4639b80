// This simulator's own count of tokens, for texts and pictures whose size nobody gave: bytes of UTF-8 by four, pictures by the
// rules that the makers publish for their models; what those are for one stands in its row. It is no tokenizer and does not claim
// to be one, and how `model` counts for the encoders is not asked.

import type { Capabilities } from '@tidemark/model';

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

// The kind and size of a picture, from the first bytes of its base64 text. Nothing else is decoded.

const HEAD_CHARACTERS = 256 * 1024;

/** Pixels. */
export interface PixelSize {
  readonly width: number;
  readonly height: number;
}

/** Width and height as the header says them, or `undefined` when the bytes do not say. */
export function imageSize(base64: string): PixelSize | undefined {
  const bytes = Buffer.from(base64.slice(0, HEAD_CHARACTERS), 'base64');
  if (bytes.length < 24) return undefined;
  if (bytes.toString('latin1', 1, 4) === 'PNG')
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  if (bytes.toString('latin1', 0, 3) === 'GIF') return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  return bytes.readUInt16BE(0) === 0xffd8 ? jpegSize(bytes) : undefined;
}

/** Walks the segments to the first frame header (SOF0 to SOF15, without the three that are none). */
function jpegSize(bytes: Buffer): PixelSize | undefined {
  let at = 2;
  while (at + 9 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    const frame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (frame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

/** What a picture is by how it begins; `undefined` for anything else. */
export function imageType(base64: string): string | undefined {
  const head = Buffer.from(base64.slice(0, 24), 'base64').toString('latin1');
  return BEGINNINGS.find(([, begins]) => begins.test(head))?.[0];
}

const BEGINNINGS: readonly (readonly [mediaType: string, begins: RegExp])[] = [
  ['image/png', /^\u0089PNG/],
  ['image/jpeg', /^\u00FF\u00D8\u00FF/],
  ['image/gif', /^GIF8/],
  ['image/webp', /^RIFF[^]{4}WEBP/],
];
