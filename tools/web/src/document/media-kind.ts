// Finds the kind of a document from its bytes and its content type.

import { imageKind } from '@tidemark/model';

import { isBinary } from './charset.ts';

/** Kind of a document. `other` is a binary file that no tool can show. */
export type MediaKind = 'html' | 'text' | 'image' | 'pdf' | 'other';

/** Returns the kind of a document. An image and a PDF are recognized by their bytes, because servers mislabel them. */
export function mediaKind(body: Buffer, contentType: string): MediaKind {
  if (imageKind(body) !== undefined) return 'image';
  if (body.subarray(0, 1_024).includes('%PDF-')) return 'pdf';
  if (isBinary(body, contentType)) return 'other';
  const type = mediaType(contentType);
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html';
  const start = body
    .toString('latin1', 0, 512)
    .replace(/^\xef\xbb\xbf/, '')
    .trimStart();
  return (type === '' || type === 'text/plain') && /^<(!doctype html|html)[\s>]/i.test(start) ? 'html' : 'text';
}

/** Returns the media type without its parameters, in lower case. Empty if the server named none. */
export function mediaType(contentType: string): string {
  const type = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  return /^[\w.+-]{1,60}\/[\w.+-]{1,80}$/.test(type) ? type : '';
}
