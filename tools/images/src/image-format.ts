// What an image's bytes say that it is: never its name, nor what somebody calls it.

import type { ImageKind } from '@tidemark/model';
import { imageKind } from '@tidemark/model';

const SENDABLE = ['PNG', 'JPEG', 'GIF', 'WebP'] as const;

/** What every provider takes. */
export type Sendable = (typeof SENDABLE)[number];

/** Known by its first bytes. */
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

/** As much as tells; an SVG may begin with comments. */
const HEAD = 1_024;

/** `undefined` when the bytes begin like none of them. */
export function imageFormat(data: Uint8Array): ImageFormat | undefined {
  const kind = imageKind(data);
  if (kind !== undefined) return SENDABLE.find((format) => MEDIA_TYPES[format] === kind.mediaType);
  const head = Buffer.from(data.buffer, data.byteOffset, Math.min(data.byteLength, HEAD)).toString('latin1');
  return OTHERS.find(([, begins]) => begins.test(head))?.[0];
}

/** Whether providers take the format. */
export function isSendable(format: ImageFormat): format is Sendable {
  return format in MEDIA_TYPES;
}

/** IANA media types. */
export const MEDIA_TYPES: Readonly<Record<Sendable, ImageKind['mediaType']>> = {
  PNG: 'image/png',
  JPEG: 'image/jpeg',
  GIF: 'image/gif',
  WebP: 'image/webp',
};
