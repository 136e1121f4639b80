// Text as HTML: nothing in it is markup, and nothing in it is unseen. What would move a cursor, turn the line round or hide
// words shows as what it is.

/** Markup that is ready to be printed. Only this file and its callers' own words become one. */
export interface Markup {
  readonly html: string;
}

// Controls but tab and newline, and delete: each has a picture in Unicode; then C1, soft hyphen, bidirectional controls (UAX #9),
// what has no width (joiners of emoji and scripts aside), line separators, tags, interlinear marks.
const PICTURED = /[\u0000-\u0008\u000b-\u001f\u007f]/g;
const UNSEEN =
  /[\u0080-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;
const PICTURES = 0x2400;
const DELETE = 0x7f;
const DELETE_PICTURE = '\u2421';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Words of anybody, as text between tags or in a quoted attribute. */
export function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('\r\n', '\n')
    .replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign)
    .replaceAll(PICTURED, pictureOf)
    .replaceAll(UNSEEN, (sign) => `⟨U+${codeOf(sign).toString(16).toUpperCase().padStart(4, '0')}⟩`);
}

function pictureOf(sign: string): string {
  const code = codeOf(sign);
  return code === DELETE ? DELETE_PICTURE : String.fromCharCode(PICTURES + code);
}

function codeOf(sign: string): number {
  return sign.codePointAt(0) ?? 0;
}

/** A template whose values are escaped, unless they are markup. Lists are put together. */
export function markup(words: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return { html: words.map((word, index) => (index === 0 ? word : valueOf(values[index - 1] ?? '') + word)).join('') };
}

/** What may stand in a template. */
export type Value = string | number | Markup | readonly Value[];

function valueOf(value: Value): string {
  if (typeof value === 'string') return escaped(value);
  if (typeof value === 'number') return String(value);
  return isList(value) ? value.map(valueOf).join('') : value.html;
}

function isList(value: Markup | readonly Value[]): value is readonly Value[] {
  return Array.isArray(value);
}

/** Nothing. */
export const NOTHING: Markup = { html: '' };
