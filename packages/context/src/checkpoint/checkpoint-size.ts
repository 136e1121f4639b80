// The size of a checkpoint before it is packed, by the function that the fold sizes the packed checkpoint with.

import { estimateTokens } from '../base/estimate.ts';
import type { Checkpoint } from './checkpoint.ts';
import { checkpointText } from './checkpoint-text.ts';
import { checkpointScale, scalingOf } from '../fold/model-tokens.ts';
import { renderCheckpoint } from '../base/render.ts';
import type { SpanSize } from '../base/span-size.ts';
import type { State } from '../state/state.ts';
import { utf8Length } from '../base/utf8.ts';

/** The size of a checkpoint: tokens on the model's scale, not rounded. */
export interface CheckpointSize extends SpanSize {
  /** Tokens that the model counts for one estimated token of its text. */
  readonly scale: number;
}

/** Returns the size of a checkpoint as the model would read it in the place of what is packed now. */
export function checkpointSize(state: State, checkpoint: Checkpoint): CheckpointSize {
  const { text, limitations } = checkpointText(checkpoint);
  const rendered = renderCheckpoint(text, limitations, checkpoint.form).text;
  const scale = checkpointScale(state.history, scalingOf(state), rendered);
  return { tokens: estimateTokens(rendered) * scale, bytes: utf8Length(rendered), scale };
}
