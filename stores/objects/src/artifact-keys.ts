// Keys of the objects of artifacts.

import type { Digest } from '@tidemark/log';

/** Prefix of the keys of all artifacts. */
export const ARTIFACTS = 'artifacts/';

/** Prefix of the keys of artifacts that a collection has set aside. The key of the artifact follows. */
export const REMOVED = 'removed/';

/** Returns the keys at which an artifact can be stored: unpacked, or packed with zstd. */
export function artifactKeys(digest: Digest): { readonly plain: string; readonly packed: string } {
  const plain = `${ARTIFACTS}${digest.slice(0, 2)}/${digest}`;
  return { plain, packed: `${plain}.zst` };
}

/** Returns the key to which a collection moves an artifact. */
export function removedKey(key: string): string {
  return `${REMOVED}${key}`;
}

const ARTIFACT = /^artifacts\/(?<folder>[0-9a-f]{2})\/(?<digest>[0-9a-f]{64})(?:\.zst)?$/;

/** Returns the digest in the key of an artifact, or `undefined` for the key of anything else. */
export function digestIn(key: string): string | undefined {
  const { folder, digest } = ARTIFACT.exec(key)?.groups ?? {};
  return folder !== undefined && digest?.startsWith(folder) === true ? digest : undefined;
}
