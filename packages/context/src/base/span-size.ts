// How large a span is, in tokens and in bytes, as far as that can be told without a provider: the same text that lowering
// will count, and images by their pixels.

import type { AnswerPart, ImagePart, Part, Span, TextPart } from '@tidemark/model';
import { estimateImageTokens, estimateTokens } from './estimate.ts';
import { utf8Length } from './utf8.ts';

/** A size as it is estimated, before any ratio. */
export interface SpanSize {
  readonly tokens: number;
  /** Of the body: text as UTF-8, images as base64. */
  readonly bytes: number;
}

/** What weighs nothing. */
export const NO_SIZE: SpanSize = { tokens: 0, bytes: 0 };

/** Tokens and bytes that stand around a part on the wire: role, type, the id of a call. */
const AROUND: SpanSize = { tokens: 4, bytes: 64 };
/** A tool that is added in the tail is named by digest: its size is that of a usual definition. */
const ADDED_TOOL: SpanSize = { tokens: 200, bytes: 900 };

/** The sum of two sizes. */
export function addSizes(a: SpanSize, b: SpanSize): SpanSize {
  return { tokens: a.tokens + b.tokens, bytes: a.bytes + b.bytes };
}

// A span never changes, so that it is measured once.
const measured = new WeakMap<Span, SpanSize>();

/** The size of a span; the cost follows its length, and only the first time. */
export function sizeOfSpan(span: Span): SpanSize {
  const known = measured.get(span);
  if (known !== undefined) return known;
  const size = sizeOfParts(span.parts);
  measured.set(span, size);
  return size;
}

/** The size of parts that may not be packed yet. */
export function sizeOfParts(parts: readonly (Part | AnswerPart)[]): SpanSize {
  return parts.reduce((sum, part) => addSizes(sum, addSizes(sizeOf(part), AROUND)), NO_SIZE);
}

function sizeOf(part: Part | AnswerPart): SpanSize {
  switch (part.type) {
    case 'text':
    case 'image':
      return sizeOfContent(part);
    case 'reasoning':
      return { tokens: estimateTokens(part.text), bytes: utf8Length(part.opaque ?? part.text) };
    case 'call':
      return addSizes(sizeOfText(part.name), sizeOfText(part.arguments));
    case 'native':
      return { tokens: estimateTokens(part.text), bytes: utf8Length(part.item) };
    case 'result':
      return part.content.reduce((sum, one) => addSizes(sum, sizeOfContent(one)), NO_SIZE);
    case 'change':
      if (part.change === 'role') return sizeOfText(part.text);
      return part.change === 'reasoning' ? NO_SIZE : part.added.reduce((sum) => addSizes(sum, ADDED_TOOL), NO_SIZE);
  }
}

function sizeOfContent(part: TextPart | ImagePart): SpanSize {
  if (part.type === 'text') return sizeOfText(part.text);
  const { width, height, bytes } = part;
  return { tokens: estimateImageTokens(width, height, bytes), bytes: Math.ceil(bytes / 3) * 4 };
}

function sizeOfText(text: string): SpanSize {
  return { tokens: estimateTokens(text), bytes: utf8Length(text) };
}
