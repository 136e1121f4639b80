// A long text by its structure: a list keeps the first line of every item, a paragraph its first and last sentence.

import { estimateTokens } from '../estimate.ts';
import { excerptOf, lineOf } from './excerpt.ts';

/** Stands where words are missing. */
const GAP = ' […]';
/** A paragraph of at most so many UTF-16 units stays whole. */
const PARAGRAPH = 160;
/** Of one line, in the second step. */
const LINES: readonly number[] = [300, 120, 60];
const ITEM = /^\s*(?:[-*+•]|#{1,6}|(?:\d{1,4}|[A-Za-z])[.):]|\((?:\d{1,4}|[A-Za-z])\)|\[[ xX]\])\s/;
const FENCE = /^\s*(?:```|~~~)/;

/** How far a text is shortened: by structure alone, then its lines cut shorter, step by step. */
export const OUTLINE_LEVELS = 4;

/** Returns a text by its structure. Level 0 keeps the first line of every item of its lists and the ends of its paragraphs whole. */
export function outlineAt(text: string, level: number): string {
  const outline = outlineOf(text);
  const most = LINES[level - 1];
  if (most === undefined) return outline;
  return outline
    .split('\n')
    .map((line) => cutLine(line, most))
    .join('\n');
}

/**
 * Returns a text within so many tokens, by `estimateTokens`: whole where it fits; then by its structure, its lines cut
 * shorter step by step; then its beginning and its end.
 */
export function fitText(text: string, tokens: number): string {
  if (estimateTokens(text) <= tokens) return text;
  for (let level = 0; level < OUTLINE_LEVELS; level += 1) {
    const outline = outlineAt(text, level);
    if (estimateTokens(outline) <= tokens) return outline;
  }
  return excerptWithin(text, tokens);
}

/** Returns the first line of every item of the lists of a text, its headings, and the ends of its paragraphs. */
export function outlineOf(text: string): string {
  const kept: string[] = [];
  let paragraph: string[] = [];
  let inItem = false;
  /** Lines of the open code block so far; `undefined` outside of one. */
  let fenced: number | undefined;
  const close = (): void => {
    if (paragraph.length > 0) kept.push(endsOf(paragraph));
    paragraph = [];
  };
  for (const line of text.split(/\r\n|[\n\r]/)) {
    if (FENCE.test(line)) {
      close();
      fenced = fenced === undefined ? 0 : undefined;
    } else if (fenced !== undefined) {
      kept.push(fenced === 0 ? line : markGap(kept.pop() ?? ''));
      fenced += 1;
    } else if (line.trim() === '') {
      close();
      inItem = false;
    } else if (ITEM.test(line)) {
      close();
      kept.push(line);
      inItem = true;
    } else if (inItem) kept.push(markGap(kept.pop() ?? ''));
    else paragraph.push(line);
  }
  close();
  return kept.join('\n');
}

function markGap(line: string): string {
  return line.endsWith(GAP) ? line : `${line}${GAP}`;
}

function endsOf(lines: readonly string[]): string {
  const whole = lines.join('\n');
  if (whole.length <= PARAGRAPH) return whole;
  const sentences = whole.split(/(?<=[.!?:])\s+/);
  if (sentences.length < 3) return lines.length < 3 ? whole : `${lines[0]}${GAP}\n${lines.at(-1)}`;
  return `${sentences[0]}${GAP} ${sentences.at(-1)}`;
}

/** A long line keeps its end where there is room: what is forbidden often stands there. */
function cutLine(line: string, most: number): string {
  if (most === LINES[0]) return excerptOf(line, most);
  return line.length <= most ? line : `${lineOf(line.trimEnd(), most)}${GAP}`;
}

/** The beginning and the end. An excerpt is cut by length, so it becomes shorter until its tokens fit. */
function excerptWithin(text: string, tokens: number): string {
  let most = Math.max(0, tokens * 4);
  for (;;) {
    const cut = excerptOf(text, most);
    if (estimateTokens(cut) <= tokens || most < 8) return cut;
    most = Math.floor(most * 0.8);
  }
}
