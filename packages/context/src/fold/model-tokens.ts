// Sizes of the history on the scale of the model that will count it, as the forecast of a request makes them: each text at the scale at
// which it was counted, images by their pixels.

import type { Part, Span } from '@tidemark/model';
import { slice } from '../base/append-only.ts';
import type { Scaling } from '../state/scales.ts';
import { newTextRatio, scaleOfText, withSpanScale } from '../state/scales.ts';
import type { SpanSize } from '../base/estimate.ts';
import { addSizes, NO_SIZE, sizeOfParts, sizeOfSpan, estimateTokens } from '../base/estimate.ts';
import type { History, State } from '../state/state.ts';

/** Returns what sizes the text of the next request, or of a request to another model. */
export function scalingOf(state: State, model: string = state.epoch?.opened.model ?? ''): Scaling {
  return { scales: state.scales, ratio: newTextRatio(state, model), model };
}

/** Returns the tokens of a span on the model's scale, not rounded. */
export function modelTokens(scaling: Scaling, span: Span): number {
  const scale = scaleOfText(scaling, span.ordinal);
  if (!span.parts.some(hasImage)) return sizeOfSpan(span).tokens * scale;
  return span.parts.reduce((sum, part) => sum + sizeOfParts([part]).tokens * (hasImage(part) ? 1 : scale), 0);
}

/** Returns a size with its tokens on another scale. */
export function scaleSize({ tokens, bytes }: SpanSize, scale: number): SpanSize {
  return { tokens: tokens * scale, bytes };
}

/** Returns the size of spans with its tokens on the model's scale, not rounded. */
export function modelSize(scaling: Scaling, spans: readonly Span[]): SpanSize {
  return spans.reduce(
    (sum, span) => addSizes(sum, { tokens: modelTokens(scaling, span), bytes: sizeOfSpan(span).bytes }),
    NO_SIZE,
  );
}

function hasImage(part: Part): boolean {
  return part.type === 'image' || (part.type === 'result' && part.content.some(({ type }) => type === 'image'));
}

/**
 * Returns the scale of a checkpoint by the text that the model reads, before it takes the place of what is packed. The text of the
 * checkpoint before it is quoted at the scale of that one.
 */
export function checkpointScale({ packed, lead }: History, scaling: Scaling, text: string): number {
  const spans = slice(packed);
  const before = lead > 0 ? spans[0] : undefined;
  const ordinals = new Map(spans.slice(lead).map((span) => [placeOf(span), span.ordinal]));
  return quotedScale(text, (position) =>
    scaleOfText(scaling, position === undefined ? undefined : (ordinals.get(position) ?? before?.ordinal)),
  );
}

/** Returns the position of the record that a span came from; -1 where it came from none. */
export function placeOf({ origin }: Span): number {
  return origin.from === 'event' ? origin.position : -1;
}

/** Returns the scales after a checkpoint with this text was packed in the place of what `history` holds. */
export function scalesWithCheckpoint(
  { scales, ratios }: Pick<State, 'scales' | 'ratios'>,
  history: History,
  model: string,
  text: string,
): State['scales'] {
  if (scales === undefined) return undefined;
  const scaling = { scales, ratio: newTextRatio({ scales, ratios }, model), model };
  const scale = checkpointScale(history, scaling, text);
  return withSpanScale(scales, {
    ordinal: history.settled,
    scale,
    before: scaleOfText(scaling, undefined),
    model,
  });
}

// The scale of a checkpoint's text. Most of that text is quoted from texts that the model counted before, some of them dumps or
// JSON, so neither the scale of prose nor that of the session's newest text fits it.

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
