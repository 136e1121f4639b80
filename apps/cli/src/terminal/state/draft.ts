// Draft: a prompt that the user has written and that is not sent yet.

import type { GivenAttachment, GivenImage } from '@tidemark/kit';

/** A prompt that the user has written and that is not sent yet. */
export interface Draft {
  /** Whole text. Folded pastes are expanded. */
  readonly text: string;
  /** Images and texts that were pasted or named, in the order of the text. */
  readonly attached: readonly (GivenImage | GivenAttachment)[];
}
