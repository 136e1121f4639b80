// Where the characters of a text begin, as its reader counts them.

let segmenter: Intl.Segmenter | undefined;

/** The grapheme that holds a UTF-16 unit; `undefined` behind the end. */
export function graphemeAt(text: string, unit: number): Intl.SegmentData | undefined {
  // Made when it is first needed: its tables take ten milliseconds, and few sessions cut anything at their start.
  segmenter ??= new Intl.Segmenter('und', { granularity: 'grapheme' });
  return segmenter.segment(text).containing(unit);
}
