// Makes text of a model, a tool or a file safe to display. The text must not move the cursor, change colours or reorder
// text on the screen.

import { stripVTControlCharacters } from 'node:util';

// Matches C0 controls except tab and newline, delete, C1 controls, and the bidirectional controls of Unicode (UAX #9).
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Returns the text without terminal escapes, bidirectional controls and control characters. Tab and newline are not
 * removed.
 */
export function plainText(text: string): string {
  return stripVTControlCharacters(text).replaceAll(CONTROLS, '');
}

/**
 * Returns the value as one line of JSON. Also escapes the control characters that JSON does not escape. The value stays
 * the same.
 */
export function plainJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.replaceAll(CONTROLS, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
