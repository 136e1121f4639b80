// An image on the wire, or the text that stands for one that the API would refuse (L6).

import type { Capabilities, ImagePart, Lowering } from '@tidemark/model';
import { imageTokens } from '@tidemark/model';
import type { EstimateWords } from './piece.ts';
import { refuse } from '@tidemark/provider-wire';
import { ANTHROPIC } from '../service.ts';
import { textHead } from './wire-text.ts';

const ACCEPTED = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const PIXELS_PER_TOKEN = 750;
const TOKENS_AT_MOST = 4_784;
const TOKENS_UNKNOWN_SIZE = 1_600;

/** A content block without its closing brace, and what it weighs. */
export interface MessageImage {
  readonly head: string;
  readonly holds: 'image' | 'text';
  readonly tokens: number;
  readonly mediaBytes: number;
}

/**
 * An image as base64, or a stub where its kind is not one of PNG, JPEG, GIF and WebP, or the model takes none.
 *
 * @throws ProviderError `provider/invalid` when its bytes are not among the materials.
 */
export function wireImage(image: ImagePart, { materials, estimate, capabilities }: Lowering): MessageImage {
  if (capabilities.images === 'none') return imageStub(image, 'this model takes no images', estimate);
  const mediaType = wireMediaType(image.mediaType);
  if (!ACCEPTED.has(mediaType)) return imageStub(image, 'only PNG, JPEG, GIF and WebP are accepted', estimate);
  const bytes = materials(image.artifact);
  if (bytes === undefined) throw missing(image);
  if (bytes.length === 0) return imageStub(image, 'it is empty', estimate);
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  const head = `{"type":"image","source":{"type":"base64","media_type":"${mediaType}","data":"${data}"}`;
  return { head, holds: 'image', tokens: tokensOf(image, capabilities), mediaBytes: bytes.length };
}

/** The text that stands for an image which cannot be sent at its place, with its digest to read it by. */
export function imageStub(image: ImagePart, reason: string, estimate: EstimateWords): MessageImage {
  const text = `[image left out: ${reason}. ${image.mediaType}, ${image.bytes} bytes, artifact ${image.artifact}]`;
  return { head: textHead(text), holds: 'text', tokens: estimate(text), mediaBytes: 0 };
}

// By the rule of the model's row; without one as the vendor counted before it told of patches.
function tokensOf({ width, height }: ImagePart, { images }: Capabilities): number {
  if (width === undefined || height === undefined) return TOKENS_UNKNOWN_SIZE;
  if (typeof images === 'object') return imageTokens(images, { width, height });
  return Math.min(TOKENS_AT_MOST, Math.ceil((width * height) / PIXELS_PER_TOKEN));
}

function wireMediaType(mediaType: string): string {
  const plain = mediaType.trim().toLowerCase();
  return plain === 'image/jpg' ? 'image/jpeg' : plain;
}

function missing(image: ImagePart): Error {
  return refuse(
    ANTHROPIC,
    'provider/invalid',
    `the bytes of image ${image.artifact} are not among the materials: load the artifact before lowering, or quarantine the block that names it`,
  );
}
