// Makes text of a model, a tool or a file safe to display: it must not move the cursor, change colours or reorder the
// text on the screen.

import { stripVTControlCharacters } from 'node:util';

// Matches C0 controls except tab and newline, delete, C1 controls, and the bidirectional controls of Unicode (UAX #9).
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Returns the text without terminal escapes, bidirectional controls and control characters. Tab and newline stay. */
export function plainText(text: string): string {
  return stripVTControlCharacters(text).replaceAll(CONTROLS, '');
}

/**
 * Returns the value as one line of JSON. Control characters that JSON does not escape are escaped too; the value stays
 * the same.
 */
export function plainJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.replaceAll(CONTROLS, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
