// The scale of a checkpoint. Most of its text is quoted from texts that the model counted before, some of them dumps or JSON, so the scale
// of prose or of the session's newest text is not its scale.

import { estimateTokens } from '../base/estimate.ts';

/** The first line of an item of a checkpoint, or the heading of a quotation, with its position in the log. */
const MARKED = /^(?:- |## .*)\[(\d+)\]/;
/** Lines that end an item. */
const ENDS = /^(?:#|$)/;

/** A part of a checkpoint that is quoted from one place. */
interface Quotation {
  /** Absent for the words of the checkpoint itself. */
  readonly position: number | undefined;
  readonly lines: string[];
}

/**
 * Returns the scale of a checkpoint's text: the mean of the scales of the texts that it quotes, weighted by their estimated tokens.
 * `scaleAt` returns the scale of the text at a position; no position is asked for the words of the checkpoint itself. The cost follows
 * the length of the text.
 */
export function quotedScale(text: string, scaleAt: (position: number | undefined) => number): number {
  let estimated = 0;
  let counted = 0;
  for (const { position, lines } of quotationsIn(text)) {
    const tokens = estimateTokens(lines.join('\n'));
    estimated += tokens;
    counted += tokens * scaleAt(position);
  }
  return estimated === 0 ? scaleAt(undefined) : counted / estimated;
}

function quotationsIn(text: string): readonly Quotation[] {
  const found: Quotation[] = [];
  let open: Quotation = { position: undefined, lines: [] };
  for (const line of text.split('\n')) {
    const marked = MARKED.exec(line)?.[1];
    const position = marked === undefined ? (ENDS.test(line) ? undefined : open.position) : Number(marked);
    if (found.length === 0 || position !== open.position) found.push((open = { position, lines: [] }));
    open.lines.push(line);
  }
  return found;
}
