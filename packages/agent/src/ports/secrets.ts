// What may not be written down: the values of variables whose name says secret, and tokens of well-known shapes. Replaced
// before the append, so that what the model sees is what is stored (L1, L2).

import type { Event } from '@tidemark/log';

/** Finds and replaces secrets. */
export interface Secrets {
  /** The text with each secret replaced by a placeholder that names it. */
  mask(text: string): Promise<string>;
  /**
   * The event with its words masked: prompts, notes, notifications, results. An answer passes as it is: reasoning is
   * signed, and arguments are kept as they were streamed.
   */
  maskEvent(event: Event): Promise<Event>;
  /** Masks a stream, with an overlap as long as the longest secret; what it yields is as a whole what `mask` would give. */
  maskStream(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  /** Whether the text holds a placeholder of ours: written to a file it would replace the secret by its name. */
  holdsPlaceholder(text: string): boolean;
}

/** Finds nothing: for recordings, which are kept as they are. */
export const NO_SECRETS: Secrets = {
  mask: async (text) => text,
  maskEvent: async (event) => event,
  maskStream: (chunks) => chunks,
  holdsPlaceholder: () => false,
};
