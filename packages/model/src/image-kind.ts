// Detects the kind and the pixel size of an image from its bytes, never from its file name. Providers count image
// tokens by pixels. The image is not decoded.

import type { ImageSize } from './image-input.ts';

/** An image format that every provider accepts, with the size of the image. */
export interface ImageKind {
  readonly mediaType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  /** Width and height of the image. `undefined` if the header is cut or damaged. */
  readonly pixels: ImageSize | undefined;
}

/** Returns the kind of an image by its first bytes, or `undefined` if they match no supported format. */
export function imageKind(bytes: Uint8Array): ImageKind | undefined {
  if (begins(bytes, 0, '\x89PNG\r\n\x1a\n')) return { mediaType: 'image/png', pixels: read(bytes, pngPixels) };
  if (begins(bytes, 0, '\xff\xd8\xff')) return { mediaType: 'image/jpeg', pixels: read(bytes, jpegPixels) };
  if (begins(bytes, 0, 'GIF87a') || begins(bytes, 0, 'GIF89a'))
    return { mediaType: 'image/gif', pixels: read(bytes, gifPixels) };
  if (begins(bytes, 0, 'RIFF') && begins(bytes, 8, 'WEBP'))
    return { mediaType: 'image/webp', pixels: read(bytes, webpPixels) };
  return undefined;
}

type Pixels = readonly [width: number, height: number];
type ReadPixels = (header: DataView, bytes: Uint8Array) => Pixels | undefined;

function begins(bytes: Uint8Array, at: number, magic: string): boolean {
  return Array.from(magic).every((character, index) => bytes[at + index] === character.charCodeAt(0));
}

function read(bytes: Uint8Array, pixelsIn: ReadPixels): ImageSize | undefined {
  try {
    const [width, height] = pixelsIn(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), bytes) ?? [0, 0];
    return width > 0 && height > 0 ? { width, height } : undefined;
  } catch (error) {
    // A RangeError means that the header ends early.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function pngPixels(header: DataView, bytes: Uint8Array): Pixels | undefined {
  return begins(bytes, 12, 'IHDR') ? [header.getUint32(16), header.getUint32(20)] : undefined;
}

function gifPixels(header: DataView): Pixels {
  return [header.getUint16(6, true), header.getUint16(8, true)];
}

function webpPixels(header: DataView, bytes: Uint8Array): Pixels | undefined {
  if (begins(bytes, 12, 'VP8X')) return [uint24(header, 24) + 1, uint24(header, 27) + 1];
  if (begins(bytes, 12, 'VP8 ')) return [header.getUint16(26, true) & 0x3fff, header.getUint16(28, true) & 0x3fff];
  if (!begins(bytes, 12, 'VP8L')) return undefined;
  const bits = header.getUint32(21, true);
  return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
}

function uint24(header: DataView, at: number): number {
  return header.getUint16(at, true) + header.getUint8(at + 2) * 0x10000;
}

/**
 * Finds the frame header, which follows segments of any length. Markers C0 to CF begin a frame, except C4, C8 and CC.
 */
function jpegPixels(header: DataView): Pixels | undefined {
  let at = 2;
  while (header.getUint8(at) === 0xff) {
    const marker = header.getUint8(at + 1);
    if (marker === 0xff) at += 1;
    else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return [header.getUint16(at + 7), header.getUint16(at + 5)];
    else at += 2 + header.getUint16(at + 2);
  }
  return undefined;
}
