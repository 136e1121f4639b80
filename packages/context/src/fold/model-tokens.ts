// Computes sizes of the history in tokens of the model that gets the next request. The forecast of a request computes
// them in the same way. Each text has the scale at which it was counted, and images are counted by their pixels.

import type { Part, Span } from '@tidemark/model';
import { slice } from '../base/append-only.ts';
import type { Scaling } from '../state/scales.ts';
import { newTextRatio, scaleOfText, withSpanScale } from '../state/scales.ts';
import type { SpanSize } from '../base/estimate.ts';
import { addSizes, NO_SIZE, sizeOfParts, sizeOfSpan, estimateTokens } from '../base/estimate.ts';
import type { History, State } from '../state/state.ts';

/** Returns the data for converting estimated tokens into tokens of `model`. Default: the model of the current epoch. */
export function scalingOf(state: State, model: string = state.epoch?.opened.model ?? ''): Scaling {
  return { scales: state.scales, ratio: newTextRatio(state, model), model };
}

/** Returns the tokens of a span on the model's scale, not rounded. */
export function modelTokens(scaling: Scaling, span: Span): number {
  const scale = scaleOfText(scaling, span.ordinal);
  if (!span.parts.some(hasImage)) return sizeOfSpan(span).tokens * scale;
  return span.parts.reduce((sum, part) => sum + sizeOfParts([part]).tokens * (hasImage(part) ? 1 : scale), 0);
}

/** Returns a size with its tokens multiplied by `scale`. */
export function scaleSize({ tokens, bytes }: SpanSize, scale: number): SpanSize {
  return { tokens: tokens * scale, bytes };
}

/** Returns the total size of spans, with tokens on the model's scale, not rounded. */
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
 * Returns the scale of a checkpoint. The scale is computed from the texts that the checkpoint quotes, in the form in
 * which they are packed before the checkpoint replaces them. Text that is quoted from the previous checkpoint has the
 * scale of that checkpoint.
 */
export function checkpointScale({ packed, lead }: History, scaling: Scaling, text: string): number {
  const spans = slice(packed);
  const before = lead > 0 ? spans[0] : undefined;
  const ordinals = new Map(spans.slice(lead).map((span) => [placeOf(span), span.ordinal]));
  return quotedScale(text, (position) =>
    scaleOfText(scaling, position === undefined ? undefined : (ordinals.get(position) ?? before?.ordinal)),
  );
}

/** Returns the position of the record that a span came from; -1 if it came from no record. */
export function placeOf({ origin }: Span): number {
  return origin.from === 'event' ? origin.position : -1;
}

/** Returns the scales after a checkpoint with this text has replaced the spans in `history`. */
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

// The next functions compute the scale of a checkpoint's text. Most of the text is quoted from texts that the model
// counted before. Some of these texts are dumps or JSON. The scale of prose does not fit such quotations, and the scale
// of the session's newest text does not fit them either.

/** First line of an item of a checkpoint, or heading of a quotation, with its position in the log. */
const MARKED = /^(?:- |## .*)\[(\d+)\]/;

/** Line that ends an item. */
const ENDS = /^(?:#|$)/;

interface Quotation {
  /** Position of the quoted record. Absent for the checkpoint's own words. */
  readonly position: number | undefined;
  readonly lines: string[];
}

/**
 * Returns the scale of a checkpoint's text. It is the mean of the scales of the texts that the checkpoint quotes,
 * weighted by their estimated tokens. `scaleAt` returns the scale of the text at a position. It is called with
 * `undefined` for the checkpoint's own words. The running time is linear in the length of the text.
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
