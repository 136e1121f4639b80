// What stands for a result that is shown shortened. Part of L2 like the words of `render.ts`: other words are another
// rendering, beside this one, and a record that asks for them must say so; one that says nothing asks for these.

import type { ImagePart, ResultPart, Span, TextPart } from '@tidemark/model';

/** The text of a result, as its cut is counted. */
export function textOfResult(content: ResultPart['content']): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/** The span with its result shortened to so many UTF-16 units of its text; as it is where that leaves nothing out. */
export function shownUpTo(span: Span, units: number): Span {
  const { origin, parts } = span;
  const [result] = parts;
  if (origin.from !== 'event' || result?.type !== 'result') return span;
  const { content } = result;
  const text = textOfResult(content);
  if (text.length <= units && content.every(({ type }) => type === 'text')) return span;
  return {
    ...span,
    parts: [{ ...result, content: [renderPruned(content, wholeUnits(text, units), origin.position)] }],
  };
}

/** Never half of a pair: a lone surrogate is no text. */
function wholeUnits(text: string, units: number): number {
  const end = Math.min(text.length, Math.max(0, Math.floor(units)));
  const last = text.charCodeAt(end - 1);
  return end < text.length && last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}

const NOTICE = '[Shortened here: ';

/** The first `kept` UTF-16 units of the result's text, and what is left out with how to read it (L6). */
export function renderPruned(content: ResultPart['content'], kept: number, position: number): TextPart {
  const text = textOfResult(content);
  const shown = text.slice(0, Math.max(0, kept));
  const notice = `${NOTICE}${leftOut(text, shown, content)}. The whole is at position ${position}: read it with history_read.]`;
  return { type: 'text', text: shown === '' ? notice : `${shown}\n${notice}` };
}

/** The words of a shortened result that stand for what is left out: all of a text that holds none. */
export function leftOutNotice(content: ResultPart['content']): string {
  const text = textOfResult(content);
  const at = text.lastIndexOf(NOTICE);
  return at === -1 ? text : text.slice(at);
}

function leftOut(text: string, shown: string, content: ResultPart['content']): string {
  const images = content.filter((part): part is ImagePart => part.type === 'image').length;
  const pictures = images === 1 ? '1 image is left out' : `${images} images are left out`;
  const said = [
    ...(shown.length < text.length ? [`the first ${shown.length} of ${text.length} characters are shown`] : []),
    ...(images > 0 ? [pictures] : []),
  ];
  return said.join(', and ');
}
