// Text as the API takes it: no lone surrogates.

/** A JSON string. Lone surrogates become U+FFFD: no JSON parser of a server takes them for certain. */
export function jsonString(text: string): string {
  return JSON.stringify(text.toWellFormed());
}

/** The inside of a JSON string, to be joined with others between one pair of quotes. */
export function insideString(text: string): string {
  return jsonString(text).slice(1, -1);
}
