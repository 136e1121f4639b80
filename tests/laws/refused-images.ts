// Bytes that look like images, and the errors that vendors return for images that are too large.

import type { Fault, ReceivedRequest } from '@tidemark/simulator';

/** Returns `bytes` bytes that begin like a PNG of 64 by 64 pixels. */
export function picture(bytes: number, name = 0): Uint8Array {
  const made = Buffer.alloc(bytes, `${name} `);
  made.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  made.writeUInt32BE(64, 16);
  made.writeUInt32BE(64, 20);
  return made;
}

/** Length in base64 characters above which an image is refused. */
export const LARGE: number = 20_000;

/**
 * Refuses a request that contains an image longer than `LARGE`. Like Anthropic, the error names the path of the image.
 * Returns `undefined` for other requests.
 */
export function refuseLarge({ body }: ReceivedRequest): Fault | undefined {
  for (const [path, source] of imagesIn(body['messages'], 'messages'))
    if (source.length > LARGE)
      return refusal(
        `${path}.image.source.base64: image exceeds 5 MB maximum: ${source.length} bytes > ${LARGE} bytes`,
      );
  return undefined;
}

/** Returns a refusal with this message. */
export function refusal(message: string, more: Partial<Extract<Fault, { kind: 'refused' }>> = {}): Fault {
  return { kind: 'refused', message, ...more };
}

/** Returns each base64 source in a value after its path. The path has the form in which Anthropic names it. */
function imagesIn(value: unknown, path: string): readonly (readonly [path: string, data: string])[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('data' in value && typeof value.data === 'string') return [[path.replace(/\.source$/, ''), value.data]];
  const inside = 'type' in value && value.type === 'tool_result' ? `${path}.tool_result` : path;
  return Object.entries(value).flatMap(([name, one]) => imagesIn(one, `${inside}.${name}`));
}
