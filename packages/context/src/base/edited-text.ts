// What an edit of a text adds: the words that the text before did not hold. All else of it was sent before.

import { estimateTokens } from './estimate.ts';

/** What of a text is new, and what it begins with in common with the one before, in estimated tokens. */
export interface TextEdit {
  readonly tokens: number;
  readonly begins: number;
}

/**
 * Compares a text with the one that it replaces. New is what stands between their common beginning and their common end, less the
 * lines that the text before holds there too: a line that moved is not new. The cost follows the lengths of both.
 */
export function editOf(before: string, after: string): TextEdit {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < most - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  const middle = estimateTokens(after.slice(start, after.length - end));
  const lines = newLines(wholeLines(before, start, end), wholeLines(after, start, end));
  return { tokens: Math.min(middle, lines), begins: estimateTokens(after.slice(0, start)) };
}

/** The lines that a text has between a beginning and an end of so many characters. */
function wholeLines(text: string, start: number, end: number): string {
  const first = start === 0 ? 0 : text.lastIndexOf('\n', start - 1) + 1;
  const last = text.indexOf('\n', text.length - end);
  return text.slice(first, last === -1 ? text.length : last);
}

/** Tokens of the lines of a text that another does not hold; each line there stands for one here. */
function newLines(before: string, after: string): number {
  const held = new Map<string, number>();
  for (const line of before.split('\n')) held.set(line, (held.get(line) ?? 0) + 1);
  let tokens = 0;
  for (const line of after.split('\n')) {
    const left = held.get(line) ?? 0;
    if (left > 0) held.set(line, left - 1);
    else tokens += estimateTokens(line);
  }
  return tokens;
}
