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
   * Masks a part of a text. The text around the part is searched too: a secret that crosses the border of the part is
   * left out.
   */
  maskPart(text: string, part: MaskRange): Promise<MaskedPart>;
  /** Opens a mask for a text that a person watches while it arrives. */
  openLive(): LiveMask;
  /**
   * Returns true if the text contains a placeholder. If such a text is written to a file, the placeholder replaces the
   * secret in the file.
   */
  holdsPlaceholder(text: string): boolean;
}

/** Part of a text, given by offsets in UTF-16 units. */
export interface MaskRange {
  readonly from: number;
  /** Default: the end of the text. */
  readonly to?: number;
  /**
   * True if more text will follow the end. A secret with several lines, such as a private key, is then held back until
   * it is complete. Default: false.
   */
  readonly isOpen?: boolean;
}

export interface MaskedPart {
  readonly text: string;
  /** Offset up to which the part was returned. Text after it was held back. */
  readonly end: number;
}

/**
 * Mask of a text that is shown while it arrives. It returns whole lines, and holds text back that may become a part of
 * a secret. If text arrives faster than it is taken, the middle is omitted, so its memory is limited.
 */
export interface LiveMask {
  push(text: string): void;
  /** Returns the masked text that can be shown now. Call it again only after it has returned. */
  take(): Promise<LivePiece>;
}

/** Piece of a text that is shown while it arrives. */
export interface LivePiece {
  /** Masked text. Empty if nothing can be shown now. */
  readonly text: string;
  /** Number of characters that are omitted directly before the text. */
  readonly omitted: number;
}

/** Masks nothing. Used for recordings, which are stored unchanged. */
export const NO_SECRETS: Secrets = {
  mask: async (text) => text,
  maskEvent: async (event) => event,
  maskStream: (chunks) => chunks,
  maskPart: async (text, { from, to = text.length }) => ({ text: text.slice(from, to), end: to }),
  openLive: showUnmasked,
  holdsPlaceholder: () => false,
};

/** Maximum length of the text that waits to be shown. */
const MOST = 16_384;

function showUnmasked(): LiveMask {
  let text = '';
  let omitted = 0;
  return {
    push(more) {
      text += more;
      if (text.length <= 2 * MOST) return;
      omitted += text.length - MOST;
      text = text.slice(-MOST);
    },
    async take() {
      const piece = { text, omitted };
      text = '';
      omitted = 0;
      return piece;
    },
  };
}
