// Text as the API takes it: no lone surrogates, neither as they are nor as escapes.

const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;
const ESCAPES = /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\./gs;

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
