// Masks secrets: the values of variables whose name announces a secret, and keys and access tokens of well-known
// formats. Masking happens before the append, so the model sees exactly what is stored (L1, L2).

import type { Event } from '@tidemark/log';

/** Finds and masks secrets. */
export interface Secrets {
  /** Returns the text with each secret replaced by a placeholder that names it. */
  mask(text: string): Promise<string>;
  /**
   * Returns the event with its texts masked: prompts, notes, notifications and results. An answer is not changed,
   * because its reasoning is signed and its arguments are stored as they were streamed.
   */
  maskEvent(event: Event): Promise<Event>;
  /**
   * Masks a stream. Chunks are masked with an overlap as long as the longest secret, so the output is the same as
   * `mask` would return for the whole text.
   */
  maskStream(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  /**
   * Returns true if the text contains a placeholder. Writing such a text to a file would replace the secret in the file
   * by its placeholder.
   */
  holdsPlaceholder(text: string): boolean;
}

/** Masks nothing. Used for recordings, which are stored unchanged. */
export const NO_SECRETS: Secrets = {
  mask: async (text) => text,
  maskEvent: async (event) => event,
  maskStream: (chunks) => chunks,
  holdsPlaceholder: () => false,
};
