// Text as models count and show it: blank or not, and cut between graphemes.

const VISIBLE = /[^\s\u001c-\u001f\u0085]/;

/** Whether a provider would refuse this as an empty text block (Anthropic: provider facts 1.6). */
export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}

// The characters of a text as its reader counts them: between them a text may be cut.

/** One of them, and the UTF-16 unit at which it begins. */
type Grapheme = Pick<Intl.SegmentData, 'index' | 'segment'>;

/** The grapheme that holds a UTF-16 unit; `undefined` behind the end. */
export function graphemeAt(text: string, unit: number): Grapheme | undefined {
  return isPlain(text, unit) ? { index: unit, segment: text.charAt(unit) } : segmenter().segment(text).containing(unit);
}

/** Every grapheme, in order. */
export function graphemesOf(text: string): Iterable<Grapheme> {
  return segmenter().segment(text);
}

/** Whether a unit and both beside it are printable ASCII, of which each is a character of its own. */
function isPlain(text: string, unit: number): boolean {
  return /^[ -~]{2,3}$/.test(text.slice(Math.max(0, unit - 1), unit + 2)) && unit >= 0 && unit < text.length;
}

let made: Intl.Segmenter | undefined;

/** Made when it is first needed: its tables take some twenty milliseconds, and most cuts are made between plain letters. */
function segmenter(): Intl.Segmenter {
  return (made ??= new Intl.Segmenter('und', { granularity: 'grapheme' }));
}
