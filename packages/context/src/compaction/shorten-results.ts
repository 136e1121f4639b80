// The last resort of a compaction: results that stand behind the checkpoint keep their heads, and say what was left out and
// where the whole of it is (L6). These bytes are part of L2, like those of `render.ts`.

import type { ImagePart, ResultPart, Span, TextPart } from '@tidemark/model';

/** The span with texts of its results of at most so many UTF-16 units, the words about the rest not counted. */
export function shortenResults(span: Span, units: number): Span {
  const parts = span.parts.map((part) => (part.type === 'result' ? shortened(part, span, units) : part));
  return parts.every((part, index) => part === span.parts[index]) ? span : { ...span, parts };
}

function shortened(result: ResultPart, { origin }: Span, units: number): ResultPart {
  const where = origin.from === 'event' ? `position ${origin.position} of the log` : 'the log';
  const content = result.content.map((part) => shortenPart(part, units, where));
  return content.every((part, index) => part === result.content[index]) ? result : { ...result, content };
}

function shortenPart(part: TextPart | ImagePart, units: number, where: string): TextPart | ImagePart {
  if (part.type === 'image') return { type: 'text', text: `[An image was left out here to fit the window: ${where}.]` };
  const { text } = part;
  if (text.length <= units) return part;
  const head = headOf(text, units);
  const rest = text.length - head.length;
  return {
    type: 'text',
    text: `${head}\n[${rest} of ${text.length} characters were left out here to fit the window: history_read reads ${where}.]`,
  };
}

/** Never half of a pair: a lone surrogate is no text. */
function headOf(text: string, units: number): string {
  const end = Math.max(0, Math.floor(units));
  const last = text.charCodeAt(end - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? end - 1 : end);
}
