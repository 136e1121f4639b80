// Pictures made of nothing, and how a vendor refuses those that are too large.

import type { Fault, ReceivedRequest } from '@tidemark/simulator';

/** Something that weighs so many bytes and begins as a picture of 64 by 64 does. */
export function picture(bytes: number, name = 0): Uint8Array {
  const made = Buffer.alloc(bytes, `${name} `);
  made.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  made.writeUInt32BE(64, 16);
  made.writeUInt32BE(64, 20);
  return made;
}

/** From how many characters of base64 on an image is refused. */
export const LARGE: number = 20_000;

/** Refuses images above a size, in Anthropic's words and with its path. */
export function refuseLarge({ body }: ReceivedRequest): Fault | undefined {
  for (const [path, source] of imagesIn(body['messages'], 'messages'))
    if (source.length > LARGE)
      return refusal(
        `${path}.image.source.base64: image exceeds 5 MB maximum: ${source.length} bytes > ${LARGE} bytes`,
      );
  return undefined;
}

/** A request that is refused with these words. */
export function refusal(message: string, more: Partial<Extract<Fault, { kind: 'refused' }>> = {}): Fault {
  return { kind: 'refused', message, ...more };
}

/** Every base64 source below a value, with its path as Anthropic counts it. */
function imagesIn(value: unknown, path: string): readonly (readonly [path: string, data: string])[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('data' in value && typeof value.data === 'string') return [[path.replace(/\.source$/, ''), value.data]];
  const inside = 'type' in value && value.type === 'tool_result' ? `${path}.tool_result` : path;
  return Object.entries(value).flatMap(([name, one]) => imagesIn(one, `${inside}.${name}`));
}
