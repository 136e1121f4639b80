// Cleans text before it is put into the editor.

import { stripVTControlCharacters } from 'node:util';

/** Matches control characters except tab and line break, and the characters that the editor uses for folded parts. */
const REMOVED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u{e0200}-\u{e0fff}]/gu;

/** Returns the text with `\n` as its line breaks, and without terminal escapes and control characters. */
export function cleanText(text: string): string {
  const lines = text.replaceAll(/\r\n?/g, '\n');
  return stripVTControlCharacters(lines).toWellFormed().replaceAll(REMOVED, '');
}
