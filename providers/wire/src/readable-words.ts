// A server's own words, as an error message may quote them: short, and a page of HTML by its title.

/** Most characters of a server's words in an error message. */
const MOST_WORDS = 2_000;
/** Characters that are searched for the beginning and the title of a page. */
const SEARCHED = 16_384;
const PAGE = /<(?:!doctype\s+html|html|head|body)\b/i;
const TITLE = /<title[^>]{0,200}>([^<]{1,200})/i;

/** Returns the text, or its first 2,000 characters and how many there are; a page of HTML is replaced by its title. */
export function readableWords(text: string): string {
  return PAGE.test(text.slice(0, 1_000)) ? pageName(text) : shortened(text, MOST_WORDS);
}

/** Returns how a page is named: by its title, or by its first characters where it has none. */
export function pageName(text: string): string {
  const beginning = text.slice(0, SEARCHED).trim();
  const title = TITLE.exec(beginning)?.[1]?.replace(/\s+/g, ' ').trim();
  const what = PAGE.test(beginning) ? 'an HTML page' : 'a page';
  if (title !== undefined && title !== '') return `${what} titled "${title}"`;
  return `${what} that begins with "${shortened(beginning, 80)}"`;
}

/** Returns the first `most` characters of a text, and how long the text is where it is longer. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  // Not in the middle of a surrogate pair.
  return `${text.slice(0, most).toWellFormed()}… (${text.length} characters)`;
}
