// Words that somebody else wrote, as a part of a Markdown file: no viewer finds HTML in them, and they end within themselves.

import type { MarkdownIt as Reader, Token } from 'markdown-it';
import MarkdownIt from 'markdown-it';

/** Characters of a text that is read as Markdown. A longer one is shown as it is, in a fence. */
const LONGEST = 100_000;

/** Each `<` is read as a character of its own, which means nothing in Markdown: the private planes of Unicode. */
const PRIVATE = 0xf0000;
const MOST_SIGNS = 0xfffd;
const MARK = /[\u{f0000}-\u{10ffff}]/gu;

/** What viewers read: CommonMark, and the form of GitHub with its tables. */
const READERS = [new MarkdownIt('commonmark', { html: false }), new MarkdownIt('default', { html: false })];

/**
 * Returns Markdown that shows the same words. HTML is shown and not obeyed. Code stays as it is written, where every viewer takes it
 * for code; elsewhere `<` becomes `&lt;`. A fence that was left open is closed: the text behind it would turn code into words.
 */
export function withoutHtml(text: string): string {
  if (!/[<`~]/.test(text)) return text;
  const signs = [...text.matchAll(/</g)].map(({ index }) => index);
  if (text.length > LONGEST || signs.length > MOST_SIGNS || text.search(MARK) !== -1) return fenceText(text);
  let sign = 0;
  const marked = text.replaceAll('<', () => String.fromCodePoint(PRIVATE + sign++));
  const found = READERS.map((reader) => codeIn(reader, marked));
  const isSure = createSpanJudge(text);
  sign = 0;
  const escaped = text.replaceAll('<', (_sign, at: number) => {
    const mark = String.fromCodePoint(PRIVATE + sign++);
    const isFenced = found.every(({ fences }) => fences.has(mark));
    const isInline = isSure(at) && found.every(({ spans }) => spans.has(mark));
    return isFenced || isInline ? '<' : '&lt;';
  });
  const open = found.find((one) => one.open !== undefined)?.open;
  // Blanks behind a fence: some viewers take such a line for code.
  const plain = escaped.replaceAll(/^([ \t>]*(?:`{3,}|~{3,}))[ \t]+$/gm, '$1');
  return open === undefined ? plain : `${plain}\n${open}`;
}

/** Returns the text in a fence that nothing inside can end. */
export function fenceText(text: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}\n${text}\n${fence}`;
}

/** Returns a name as code within a line. */
export function inlineCode(text: string): string {
  const ticks = '`'.repeat(longestRun(text) + 1);
  const edge = /^`|`$/.test(text) ? ' ' : '';
  return `${ticks}${edge}${text.replaceAll(/\s+/g, ' ')}${edge}${ticks}`;
}

/** Returns a name or a title as words within a line. */
export function inlineWords(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('`', '&#96;');
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 0);
}

/** Where a reader finds code: the marks within fences, and within lines. `open`: what closes a fence that the text leaves open. */
interface Code {
  readonly fences: ReadonlySet<string>;
  readonly spans: ReadonlySet<string>;
  readonly open: string | undefined;
}

function codeIn(reader: Reader, text: string): Code {
  const tokens = reader.parse(text, {});
  const lines = text.split(/\r\n?|\n/);
  const defines = afterDefinition(lines);
  const spans = tokens.flatMap(({ children }) => children ?? []).filter(({ type }) => type === 'code_inline');
  const fences = tokens.filter(({ type, map }) => type === 'fence' && defines[map?.[0] ?? 0] !== true);
  const last = tokens.at(-1);
  return {
    fences: new Set(fences.flatMap(({ content }) => content.match(MARK) ?? [])),
    spans: new Set(spans.flatMap(({ content }) => content.match(MARK) ?? [])),
    // A fence within a list or a quotation ends with it.
    open: last?.type === 'fence' && last.level === 0 && isOpen(lines, last) ? last.markup : undefined,
  };
}

function isOpen(lines: readonly string[], { map, markup }: Pick<Token, 'map' | 'markup'>): boolean {
  const [first, end] = map ?? [0, 0];
  const line = lines[end - 1] ?? '';
  return end - 1 === first || !new RegExp(`^ {0,3}${markup}${markup[0] ?? ''}*[ \\t]*$`).test(line);
}

/**
 * Returns for each line whether a link is defined in the lines before it, up to a blank one. Some viewers take a fence there for the
 * address or the title of the link.
 */
function afterDefinition(lines: readonly string[]): readonly boolean[] {
  let defined = false;
  return lines.map((line) => {
    const before = defined;
    defined = !/^[ \t>]*$/.test(line) && (defined || line.includes(']:'));
    return before;
  });
}

/**
 * Returns the judge of one text: true where code that stands in the line of a `<` is code for every viewer. Code from an earlier line may
 * hold a line that begins with `<`, and that line would be HTML. An address that a viewer makes a link of takes the backtick in it,
 * so nothing after it is sure, up to a blank line. The judge is asked for each `<` in order: its work is linear in the text.
 */
function createSpanJudge(text: string): (at: number) => boolean {
  const passes = (places: readonly number[]): ((at: number) => number) => {
    let next = 0;
    return (at) => {
      while ((places[next] ?? Infinity) < at) next += 1;
      return places[next - 1] ?? -1;
    };
  };
  const placesOf = (pattern: RegExp): readonly number[] => [...text.matchAll(pattern)].map(({ index }) => index);
  const blank = passes(placesOf(/\n[ \t>]*(?=\n)/g));
  const newline = passes(placesOf(/\n/g));
  const tick = passes(placesOf(/`/g));
  const taken = passes(ticksInAddresses(text));
  return (at) => tick(at) > newline(at) && taken(at) <= blank(at);
}

/** Where the first backtick of each address stands, in order. Any word that looks like a part of an address counts as one. */
function ticksInAddresses(text: string): readonly number[] {
  return [...text.matchAll(/\S+/g)].flatMap(({ 0: word, index }) => {
    const begin = word.search(/www\.|:\/\/|@/i);
    const tick = begin === -1 ? -1 : word.indexOf('`', begin);
    return tick === -1 ? [] : [index + tick];
  });
}
