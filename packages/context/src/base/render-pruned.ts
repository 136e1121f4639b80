// What stands for a result that is shown shortened. Part of L2 like the words of `render.ts`: other words are another
// rendering, with this one, and a record that asks for them must say so; one that says nothing asks for the beginning of a text.

import type { PrunedResult } from '@tidemark/log';
import type { ImagePart, ResultPart, Span, TextPart } from '@tidemark/model';
import { graphemeAt } from '@tidemark/model';

/** How much of a text stays, and at which end; its beginning where that is absent. */
export type TextCut = Pick<PrunedResult, 'kept' | 'from'>;

/** A text that stays whole, and what is still shown of a longer one, in UTF-16 units. */
const LONG = 1_200;
const PREVIEW = 500;

/** The text of a result, as its cut is counted. */
export function textOfResult(content: ResultPart['content']): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/** Returns how a long result is cut, between graphemes, and what is then shown; `undefined` for a short one without images. */
export function cutOf(
  content: ResultPart['content'],
  stays: 'beginning' | 'end',
  position: number,
): { readonly cut: TextCut; readonly text: TextPart } | undefined {
  const text = textOfResult(content);
  if (text.length <= LONG && content.every(({ type }) => type === 'text')) return undefined;
  const cut: TextCut = stays === 'end' ? { kept: unitsAtEnd(text), from: 'end' } : { kept: unitsAtBeginning(text) };
  return { cut, text: renderPruned(content, cut, position) };
}

function unitsAtBeginning(text: string): number {
  return text.length <= PREVIEW ? text.length : (graphemeAt(text, PREVIEW)?.index ?? PREVIEW);
}

function unitsAtEnd(text: string): number {
  const start = text.length - PREVIEW;
  const first = start <= 0 ? undefined : graphemeAt(text, start);
  if (first === undefined) return text.length;
  return text.length - (first.index === start ? start : first.index + first.segment.length);
}

/** The span with its result shortened; as it is where that leaves nothing out. */
export function shownUpTo(span: Span, cut: TextCut): Span {
  const { origin, parts } = span;
  const [result] = parts;
  if (origin.from !== 'event' || result?.type !== 'result') return span;
  const { content } = result;
  const text = textOfResult(content);
  if (text.length <= cut.kept && content.every(({ type }) => type === 'text')) return span;
  return {
    ...span,
    parts: [{ ...result, content: [renderPruned(content, wholeUnits(text, cut), origin.position)] }],
  };
}

/** Never half of a pair: a lone surrogate is no text. */
function wholeUnits(text: string, cut: TextCut): TextCut {
  const kept = Math.min(text.length, Math.max(0, Math.floor(cut.kept)));
  const edge = cut.from === 'end' ? text.length - kept : kept;
  return { ...cut, kept: isInsidePair(text, edge) ? kept - 1 : kept };
}

function isInsidePair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  return at > 0 && at < text.length && before >= 0xd800 && before <= 0xdbff;
}

const NOTICE = '[Shortened here: ';

/** What is still shown of the result's text, and what is left out with how to read it (L6). */
export function renderPruned(content: ResultPart['content'], { kept, from }: TextCut, position: number): TextPart {
  const text = textOfResult(content);
  const units = Math.min(text.length, Math.max(0, kept));
  const shown = from === 'end' ? text.slice(text.length - units) : text.slice(0, units);
  const which = from === 'end' ? 'last' : 'first';
  const notice = `${NOTICE}${leftOut(text, shown, which, content)}. The whole is at position ${position}: read it with history_read.]`;
  if (shown === '') return { type: 'text', text: notice };
  // What is left out stands before an end, and behind a beginning.
  return { type: 'text', text: from === 'end' ? `${notice}\n${shown}` : `${shown}\n${notice}` };
}

/** The words of a shortened result that stand for what is left out: all of a text that holds none. */
export function leftOutNotice(content: ResultPart['content']): string {
  const text = textOfResult(content);
  if (text.startsWith(NOTICE)) return text.split('\n', 1)[0] ?? text;
  const at = text.lastIndexOf(NOTICE);
  return at === -1 ? text : text.slice(at);
}

function leftOut(text: string, shown: string, which: 'first' | 'last', content: ResultPart['content']): string {
  const images = content.filter((part): part is ImagePart => part.type === 'image').length;
  const pictures = images === 1 ? '1 image is left out' : `${images} images are left out`;
  const said = [
    ...(shown.length < text.length ? [`the ${which} ${shown.length} of ${text.length} characters are shown`] : []),
    ...(images > 0 ? [pictures] : []),
  ];
  return said.join(', and ');
}
