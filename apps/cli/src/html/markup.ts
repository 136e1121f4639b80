// Writes text as HTML. No part of the text becomes markup or stays invisible. Characters that would move the cursor,
// reverse a line or hide words are shown by their code points.

/** HTML that is ready to be printed. Text from a session becomes `Markup` only after it was escaped or encoded. */
export interface Markup {
  readonly html: string;
}

// Matches control characters except tab and newline, the soft hyphen, and bidirectional controls (UAX #9). Also matches
// zero-width characters except the joiners that scripts and emoji need, line separators, interlinear marks and tags.
// They are shown by code point, because few fonts contain their symbols (from U+2400).
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

/** Escapes text from any source, for use between tags or in a quoted attribute. */
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

/** Template tag that escapes its values, except values that are markup. The items of a list are joined. */
export function markup(words: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return { html: words.map((word, index) => (index === 0 ? word : valueOf(values[index - 1] ?? '') + word)).join('') };
}

/** Value that a template accepts. */
export type Value = string | number | Markup | readonly Value[];

function valueOf(value: Value): string {
  if (typeof value === 'string') return escapeText(value);
  if (typeof value === 'number') return String(value);
  return isList(value) ? value.map(valueOf).join('') : value.html;
}

function isList(value: Markup | readonly Value[]): value is readonly Value[] {
  return Array.isArray(value);
}

/** Empty markup. */
export const NOTHING: Markup = { html: '' };
