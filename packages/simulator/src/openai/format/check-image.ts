// A picture in a request of this provider: what it says that it is, and what it begins as.

import { imageType } from '../../core/image-size.ts';
import { textOf } from '../../core/wire.ts';
import { bad } from './refusal.ts';
import type { OpenAIRefusal } from './refusal.ts';

const TAKEN: ReadonlySet<string | undefined> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** Refuses a data URL that holds no picture of a kind that is taken, in the service's words; any other address is taken. */
export function checkImageAt(address: unknown): OpenAIRefusal | undefined {
  const url = textOf(address);
  if (!url.startsWith('data:')) return undefined;
  const [, said, data = ''] = /^data:([^;,]*)[^,]*;base64,(.*)$/s.exec(url) ?? [];
  if (TAKEN.has(said) && TAKEN.has(imageType(data))) return undefined;
  const text =
    "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].";
  return bad(text, null, 'invalid_image_format');
}
