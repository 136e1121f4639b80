// Recognizes the format of an image from its bytes, never from its name or its declared type.

import type { ImageKind } from '@tidemark/model';
import { imageKind } from '@tidemark/model';

const SENDABLE = ['PNG', 'JPEG', 'GIF', 'WebP'] as const;

/** Image formats that every provider accepts. */
export type Sendable = (typeof SENDABLE)[number];

/**
 * Image formats that are recognized by their first bytes. If a format is not in `Sendable`, the error message names the
 * format.
 */
export type ImageFormat = Sendable | 'SVG' | 'BMP' | 'TIFF' | 'HEIC' | 'AVIF' | 'JPEG XL' | 'ICO' | 'PDF';

const OTHERS: readonly (readonly [format: ImageFormat, begins: RegExp])[] = [
  ['AVIF', /^[^]{4}ftypavi[fs]/],
  ['HEIC', /^[^]{4}ftyp(?:hei|hev|mif1|msf1)/],
  ['TIFF', /^(?:II\*\0|MM\0\*)/],
  ['BMP', /^BM[^]{4}\0{4}/],
  ['JPEG XL', /^(?:\u00FF\n|\0\0\0\fJXL )/],
  ['ICO', /^\0\0\u0001\0/],
  ['PDF', /^%PDF-/],
  ['SVG', /^(?:\u00EF\u00BB\u00BF)?\s*(?:<\?xml[^]*?)?(?:<!--[^]*?-->\s*|<!DOCTYPE svg[^]*?)*<svg[\s>]/],
];

/**
 * Number of bytes that are read to recognize a format. The number is this large because an SVG may begin with comments.
 */
const HEAD = 1_024;

/** Returns the format of an image, or `undefined` for an unknown format. */
export function imageFormat(data: Uint8Array): ImageFormat | undefined {
  const kind = imageKind(data);
  if (kind !== undefined) return SENDABLE.find((format) => MEDIA_TYPES[format] === kind.mediaType);
  const head = Buffer.from(data.buffer, data.byteOffset, Math.min(data.byteLength, HEAD)).toString('latin1');
  return OTHERS.find(([, begins]) => begins.test(head))?.[0];
}

/** True if every provider accepts the format. */
export function isSendable(format: ImageFormat): format is Sendable {
  return format in MEDIA_TYPES;
}

/** IANA media type of each format that every provider accepts. */
export const MEDIA_TYPES: Readonly<Record<Sendable, ImageKind['mediaType']>> = {
  PNG: 'image/png',
  JPEG: 'image/jpeg',
  GIF: 'image/gif',
  WebP: 'image/webp',
};
