// What a model, a tool or a file wrote, made safe to show: it must not move the cursor, recolour or reorder the screen.

import { stripVTControlCharacters } from 'node:util';

// C0 without tab and newline, delete, C1; then the bidirectional controls of Unicode (UAX #9).
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The text without terminal escapes, control characters (tab and newline stay) and bidirectional controls. */
export function plainText(text: string): string {
  return stripVTControlCharacters(text).replaceAll(CONTROLS, '');
}

/** JSON text of a value, in one line. Same value, but controls that JSON would let through are escaped. */
export function plainJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.replaceAll(CONTROLS, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
