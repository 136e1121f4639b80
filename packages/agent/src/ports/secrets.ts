// Masks secrets. These are the values of variables whose name indicates a secret, and keys and access tokens of
// well-known formats. Masking happens before the append, so the model sees exactly what is stored (L1, L2).

import type { Event } from '@tidemark/log';

/** Finds and masks secrets. */
export interface Secrets {
  /** Returns the text with each secret replaced by a placeholder that names it. */
  mask(text: string): Promise<string>;
  /**
   * Returns the event with its texts masked: prompts, notes, notifications and results. An answer is not changed,
   * because its reasoning is signed and its arguments are stored exactly as streamed.
   */
  maskEvent(event: Event): Promise<Event>;
  /**
   * Masks a stream. Neighbouring chunks overlap by the length of the longest secret. The output is therefore the same
   * as that of `mask` for the whole text.
   */
  maskStream(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  /**
   * Returns true if the text contains a placeholder. If such a text is written to a file, the placeholder replaces the
   * secret in the file.
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
