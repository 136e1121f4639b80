// Text as HTML: nothing in it is markup, and nothing in it is unseen. What would move a cursor, turn the line round or hide
// words shows as what it is.

/** Markup that is ready to be printed. Only this file and its callers' own words become one. */
export interface Markup {
  readonly html: string;
}

// Controls but tab and newline; soft hyphen; bidirectional controls (UAX #9); what has no width, but for the joiners that scripts and
// emoji need; line separators, interlinear marks, tags. Their pictures (U+2400 and on) are in few fonts: they are named.
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

const ENTITIES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  }),
);

/** Words of anybody, as text between tags or in a quoted attribute. */
export function escapeText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('\r\n', '\n')
    .replaceAll(/[&<>"']/g, (sign) => ENTITIES.get(sign) ?? sign)
    .replaceAll(UNSEEN, nameOf);
}

function nameOf(sign: string): string {
  return `⟨U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

/** A template whose values are escaped, unless they are markup. Lists are put together. */
export function markup(words: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return { html: words.map((word, index) => (index === 0 ? word : valueOf(values[index - 1] ?? '') + word)).join('') };
}

/** What may stand in a template. */
export type Value = string | number | Markup | readonly Value[];

function valueOf(value: Value): string {
  if (typeof value === 'string') return escapeText(value);
  if (typeof value === 'number') return String(value);
  return isList(value) ? value.map(valueOf).join('') : value.html;
}

function isList(value: Markup | readonly Value[]): value is readonly Value[] {
  return Array.isArray(value);
}

/** Nothing. */
export const NOTHING: Markup = { html: '' };
