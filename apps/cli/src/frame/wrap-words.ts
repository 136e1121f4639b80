// Breaks text between words into lines of a maximum number of characters.

import { plainText } from './plain-text.ts';

/**
 * Returns the words of the text as lines of at most `width` characters. A longer word gets its own line. Text without
 * words gives one empty line.
 */
export function wrapWords(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of plainText(text)
    .split(/\s+/)
    .filter((one) => one !== '')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** Returns the text with at most `most` characters. If the text is longer, its end is replaced by `…`. */
export function cutWords(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, Math.max(0, most - 1)).trimEnd()}…`;
}
