// Text in lines of at most so many characters, broken between words.

import { plainText } from './plain-text.ts';

/** The lines; a word that is longer than a line stands in one of its own. Without a word one empty line. */
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

/** The text with its end left out, and `…` in its place, where it is longer than so many characters. */
export function cutWords(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, Math.max(0, most - 1)).trimEnd()}…`;
}
