// An image as a data URL, or the text that stands for one that the API would refuse (L6).

import type { Capabilities, ImagePart, Lowering } from '@tidemark/model';
import { imageTokens } from '@tidemark/model';
import type { Service } from '@tidemark/provider-wire';
import { refuse } from '@tidemark/provider-wire';

const ACCEPTED = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const PATCH = 32;
const TOKENS_AT_MOST = 1_536;

/** An image that can be sent, or the words for one that cannot. */
export type ChatImage =
  | { readonly kind: 'image'; readonly url: string; readonly tokens: number; readonly mediaBytes: number }
  | { readonly kind: 'stub'; readonly text: string };

/**
 * A data URL, or a stub where the kind is not one of PNG, JPEG, GIF and WebP, or the model takes none.
 *
 * @throws ProviderError `provider/invalid` when its bytes are not among the materials.
 */
export function wireImage(service: Service, image: ImagePart, { materials, capabilities }: Lowering): ChatImage {
  if (capabilities.images === 'none') return imageStub(image, 'this model takes no images');
  const mediaType = wireMediaType(image.mediaType);
  if (!ACCEPTED.has(mediaType)) return imageStub(image, 'only PNG, JPEG, GIF and WebP are accepted');
  const bytes = materials(image.artifact);
  if (bytes === undefined) throw missing(service, image);
  if (bytes.length === 0) return imageStub(image, 'it is empty');
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  return {
    kind: 'image',
    url: `data:${mediaType};base64,${data}`,
    tokens: tokensOf(image, capabilities),
    mediaBytes: bytes.length,
  };
}

/** The text that stands for an image which cannot be sent at its place, with its digest to read it by. */
export function imageStub(image: ImagePart, reason: string): Extract<ChatImage, { kind: 'stub' }> {
  const text = `[image left out: ${reason}. ${image.mediaType}, ${image.bytes} bytes, artifact ${image.artifact}]`;
  return { kind: 'stub', text };
}

// By the rule of the model's row; without one by patches up to a bound, as most of the vendor's models count.
function tokensOf({ width, height }: ImagePart, { images }: Capabilities): number {
  if (width === undefined || height === undefined) return TOKENS_AT_MOST;
  if (typeof images === 'object') return imageTokens(images, { width, height });
  return Math.min(TOKENS_AT_MOST, Math.ceil(width / PATCH) * Math.ceil(height / PATCH));
}

function wireMediaType(mediaType: string): string {
  const plain = mediaType.trim().toLowerCase();
  return plain === 'image/jpg' ? 'image/jpeg' : plain;
}

function missing(service: Service, image: ImagePart): Error {
  return refuse(
    service,
    'provider/invalid',
    `the bytes of image ${image.artifact} are not among the materials: load the artifact before lowering, or quarantine the block that names it`,
  );
}
