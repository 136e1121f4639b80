// Estimates the tokens of texts and images without a recorded size, because the simulator has no tokenizer. The tokens
// of a text are its UTF-8 bytes divided by four. The tokens of an image follow the provider's published rule, which is
// in the catalog row of the model. This file does not use the counting code of `@tidemark/model`, so a test can compare
// the two.

import type { Capabilities } from '@tidemark/model';

/** Returns the recorded size of the block with this index, in tokens, or `undefined` if the size is not known. */
export type RecordedSizes = (index: number) => number | undefined;

const BYTES_PER_TOKEN = 4;

/** Returns the tokens of a text: its UTF-8 bytes divided by four, rounded up. */
export function countText(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/** Returns the start of a text: as many whole characters as fit into this many tokens. */
export function firstTokens(text: string, tokens: number): string {
  const most = tokens * BYTES_PER_TOKEN;
  const bytes = Buffer.from(text.slice(0, most)).subarray(0, most);
  // A streaming decoder does not return an incomplete character at the end.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });
}

type ImagePricing = Capabilities['images'];

/** Number of tokens of an image whose pixel size cannot be read. */
const UNKNOWN = 1600;

/** Rule for images of a model whose catalog row has no rule. */
const USUAL = { side: 1568, count: { by: 'patches', size: 28, most: 1568 } } as const satisfies ImagePricing;

/**
 * Returns the tokens of an image, at least 1, after the provider scales the image down. The provider counts patches or
 * tiles. Returns 1,600 if the pixel size cannot be read. Sources: for patches, docs.anthropic.com/en/docs/vision,
 * "Resolution and token cost", and developers.openai.com/api/docs/guides/images-vision, "Patch-based"; for tiles, the
 * same OpenAI page, "Tile-based".
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

/**
 * Returns the number of patches after the image is scaled down to at most `most` patches. The longer edge starts at
 * `side` and shrinks by one pixel per step.
 */
function patchesWithin(size: PixelSize, patch: number, side: number, most: number): number {
  const ratio = Math.min(size.width, size.height) / longer(size);
  // An image always has at least as many patches as its area divided by the area of one patch. An edge longer than
  // `reach` would therefore need more than `most` patches. So the search starts at `reach` if `reach` is below `side`.
  const reach = Math.ceil(patch * Math.sqrt(most / ratio)) + patch;
  for (let long = Math.min(side, reach); long > 0; long -= 1) {
    const short = Math.max(1, Math.round(long * ratio));
    const patches = Math.ceil(long / patch) * Math.ceil(short / patch);
    if (patches <= most) return patches;
  }
  return 1;
}

/**
 * Returns the number of 512-pixel tiles. The image is scaled down twice: first to fit 2,048 by 2,048 pixels, then until
 * its shorter side has at most 768 pixels. An image is never enlarged.
 */
function tiles({ width, height }: PixelSize): number {
  const into = Math.min(1, 2048 / Math.max(width, height));
  const down = Math.min(1, 768 / (Math.min(width, height) * into)) * into;
  return Math.ceil((width * down) / 512) * Math.ceil((height * down) / 512);
}

// Reads the type and the pixel size of an image from the first bytes of its base64 text. Other bytes of the image are
// not decoded.

const HEAD_CHARACTERS = 256 * 1024;

export interface PixelSize {
  readonly width: number;
  readonly height: number;
}

/** Returns the width and height from the image header, or `undefined` if the bytes do not contain them. */
export function imageSize(base64: string): PixelSize | undefined {
  const bytes = Buffer.from(base64.slice(0, HEAD_CHARACTERS), 'base64');
  if (bytes.length < 24) return undefined;
  if (bytes.toString('latin1', 1, 4) === 'PNG')
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  if (bytes.toString('latin1', 0, 3) === 'GIF') return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  if (bytes.readUInt16BE(0) === 0xffd8) return jpegSize(bytes);
  return /^RIFF[^]{4}WEBP$/.test(bytes.toString('latin1', 0, 12)) ? webpSize(bytes) : undefined;
}

/**
 * Returns the size in the first chunk of a WebP. Returns `undefined` if the chunk is cut off or is not an image.
 * Sources: Google, "WebP Container Specification"; RFC 6386, section 9.1; "WebP Lossless Bitstream Specification",
 * section 3.
 */
function webpSize(bytes: Buffer): PixelSize | undefined {
  const chunk = bytes.toString('latin1', 12, 16);
  if (chunk === 'VP8L') return losslessSize(bytes);
  if (bytes.length < 30) return undefined;
  if (chunk === 'VP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  // A lossy image is one key frame: the lowest bit of its tag is 0, and three fixed bytes follow the tag.
  const keyFrame = ((bytes[20] ?? 1) & 1) === 0 && bytes.readUIntBE(23, 3) === 0x9d012a;
  if (chunk !== 'VP8 ' || !keyFrame) return undefined;
  return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
}

function losslessSize(bytes: Buffer): PixelSize | undefined {
  if (bytes.length < 25 || bytes[20] !== 0x2f) return undefined;
  const bits = bytes.readUInt32LE(21);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

/**
 * Returns the size in the first frame header, or `undefined` if there is no frame header. The marker of a frame header
 * is from SOF0 to SOF15. DHT, JPG and DAC are in the same range, but are not frame headers.
 */
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

/**
 * Returns the media type that the first bytes of an image show, or `undefined` if the bytes match no known image type.
 */
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
