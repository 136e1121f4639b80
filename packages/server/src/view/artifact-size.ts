// Reads an artifact once, so that damage is found before its bytes are sent.

import type { Artifacts, Digest } from '@tidemark/log';

/** Size of an artifact in bytes. `isText` is true if all bytes are UTF-8 text without a null byte. */
export interface ArtifactSize {
  readonly size: number;
  readonly isText: boolean;
}

/**
 * Reads all bytes and returns their number.
 *
 * @throws LogError `artifact/missing`, `artifact/damaged`.
 */
export async function readArtifactSize(artifacts: Artifacts, digest: Digest): Promise<ArtifactSize> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let size = 0;
  let isText = true;
  for await (const chunk of artifacts.get(digest)) {
    size += chunk.length;
    isText &&= !chunk.includes(0) && decodes(decoder, chunk);
  }
  return { size, isText: isText && decodes(decoder) };
}

function decodes(decoder: InstanceType<typeof TextDecoder>, chunk?: Uint8Array): boolean {
  try {
    decoder.decode(chunk, { stream: chunk !== undefined });
    return true;
  } catch {
    return false;
  }
}
