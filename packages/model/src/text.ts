// Text functions: a test for blank text, and access to graphemes. A text may be cut only between graphemes.

const VISIBLE = /[^\s\u001c-\u001f\u0085]/;

/**
 * Checks that a text has no visible character. A provider refuses such a text as an empty text block (Anthropic:
 * provider facts 1.6).
 */
export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}

/**
 * A grapheme (a character as a reader counts it), with the index of its first UTF-16 unit. A text may be cut between
 * two graphemes.
 */
type Grapheme = Pick<Intl.SegmentData, 'index' | 'segment'>;

/** Returns the grapheme that contains a UTF-16 unit, or `undefined` if the unit is outside the text. */
export function graphemeAt(text: string, unit: number): Grapheme | undefined {
  return isPlain(text, unit) ? { index: unit, segment: text.charAt(unit) } : segmenter().segment(text).containing(unit);
}

/** Returns every grapheme of a text, in order. */
export function graphemesOf(text: string): Iterable<Grapheme> {
  return segmenter().segment(text);
}

/** Checks that a unit and its neighbours are printable ASCII. The unit is then a separate grapheme. */
function isPlain(text: string, unit: number): boolean {
  return /^[ -~]{2,3}$/.test(text.slice(Math.max(0, unit - 1), unit + 2)) && unit >= 0 && unit < text.length;
}

let made: Intl.Segmenter | undefined;

/**
 * Returns the segmenter. It is created when it is needed for the first time, because loading its tables takes about 20
 * ms. Most cuts are between plain letters and do not need it.
 */
function segmenter(): Intl.Segmenter {
  return (made ??= new Intl.Segmenter('und', { granularity: 'grapheme' }));
}
