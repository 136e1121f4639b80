// Splits a text that contains escape sequences of styles.

const SEQUENCE = /\u001b\[([\d;]*)m/g;

/** Sequences that end a style. */
const ENDS: ReadonlySet<string> = new Set(['', '0', '22', '23', '24', '27', '29', '39', '49']);

/**
 * Returns the beginning of a text with this number of characters, and the rest. Sequences do not count. A style that
 * goes on after the place is ended before it and begins again after it.
 */
export function splitStyled(text: string, length: number): readonly [string, string] {
  let open = '';
  let seen = 0;
  let at = 0;
  for (const match of text.matchAll(SEQUENCE)) {
    const end = seen + match.index - at;
    if (end > length || (end === length && !ENDS.has(match[1] ?? ''))) break;
    seen = end;
    at = match.index + match[0].length;
    open = ENDS.has(match[1] ?? '') ? '' : open + match[0];
  }
  const place = at + length - seen;
  const begin = text.slice(0, place);
  return open === '' ? [begin, text.slice(place)] : [`${begin}\u001b[0m`, open + text.slice(place)];
}
