// Text as the API takes it: what counts as blank, and no lone surrogates, neither as they are nor as escapes.

// Python's idea of white space as well as ECMAScript's: the API strips with the former before it refuses an empty text.
// oxlint-disable-next-line no-control-regex
const VISIBLE = /[^\s\u001c-\u001f\u0085]/;

const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;
const ESCAPES = /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\./gs;

/** Whether the API would refuse this as an empty text block (provider facts 1.6). */
export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}

/** A JSON string. Lone surrogates become U+FFFD: the API refuses a body that has one, even escaped. */
export function jsonString(text: string): string {
  return JSON.stringify(text.toWellFormed());
}

/** JSON text with lone surrogates replaced, every other byte as it was. */
export function wellFormedJson(text: string): string {
  const whole = text.toWellFormed();
  if (!SURROGATE_ESCAPE.test(whole)) return whole;
  return whole.replace(ESCAPES, (escape) => (escape.length === 6 ? '\\ufffd' : escape));
}

/** A text block without its closing brace: the slot for a marker comes after. */
export function textHead(text: string): string {
  return `{"type":"text","text":${jsonString(text)}`;
}
