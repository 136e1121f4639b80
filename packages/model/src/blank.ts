// What counts as blank text: providers refuse it, so it is left out of packing everywhere by one rule.

// Python's idea of white space as well as ECMAScript's: the API strips with the former before it refuses an empty text.
const VISIBLE = /[^\s\u001c-\u001f\u0085]/;

/** Whether a provider would refuse this as an empty text block (Anthropic: provider facts 1.6). */
export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}
