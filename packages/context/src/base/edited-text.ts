// Estimates the tokens that an edit adds to a text. All other tokens of the new text were sent before.

import { estimateTokens } from './estimate.ts';

/**
 * Estimated tokens of an edit: `tokens` are the new tokens, and `begins` are the tokens of the beginning that both
 * texts share.
 */
export interface TextEdit {
  readonly tokens: number;
  readonly begins: number;
}

/**
 * Compares a text with the text that it replaces, and returns the size of the edit. The middle part, between the common
 * beginning and the common end, is new. A line in this part is not new if the old text also contains it there, so a
 * moved line is not new. The running time is linear in the lengths of both texts.
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

/**
 * Returns a text without its first `start` characters and its last `end` characters. The result is extended to whole
 * lines.
 */
function wholeLines(text: string, start: number, end: number): string {
  const first = start === 0 ? 0 : text.lastIndexOf('\n', start - 1) + 1;
  const last = text.indexOf('\n', text.length - end);
  return text.slice(first, last === -1 ? text.length : last);
}

/**
 * Returns the estimated tokens of the lines in `after` that are not in `before`. Each line in `before` matches only one
 * line in `after`.
 */
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
