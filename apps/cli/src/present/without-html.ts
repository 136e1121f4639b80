// Escapes text written by others for a Markdown file. No viewer finds HTML in the text. No code and no block of the
// text continues after its end.

import type { MarkdownIt as Reader, Token } from 'markdown-it';
import MarkdownIt from 'markdown-it';

/** Maximum length of a text that is parsed as Markdown, in characters. A longer text is put into a fence unchanged. */
const LONGEST = 100_000;

/**
 * First code point of the private-use planes of Unicode. Before parsing, each `<` is replaced by a different
 * private-use character. Such a character has no meaning in Markdown. After parsing, these characters show which `<` is
 * part of code.
 */
const PRIVATE = 0xf0000;
const MAX_SIGNS = 0xfffd;
const MARK = /[\u{f0000}-\u{10ffff}]/gu;

/** Markdown parsers for the two dialects that viewers use: CommonMark, and the dialect of GitHub with tables. */
const READERS = [new MarkdownIt('commonmark', { html: false }), new MarkdownIt('default', { html: false })];

/**
 * Returns Markdown that shows the same text. Viewers interpret no HTML in it. Code stays unchanged if every viewer
 * treats it as code. In all other places `<` becomes `&lt;`. If the text leaves a fence open, the fence is closed.
 * Otherwise the fence would turn later words of the file into code, and later code into words.
 */
export function withoutHtml(text: string): string {
  if (!/[<`~]/.test(text)) return text;
  const signs = [...text.matchAll(/</g)].map(({ index }) => index);
  if (text.length > LONGEST || signs.length > MAX_SIGNS || text.search(MARK) !== -1) return fenceText(text);
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
  // Blanks after a fence are removed, because some viewers treat such a line as code.
  const plain = escaped.replaceAll(/^([ \t>]*(?:`{3,}|~{3,}))[ \t]+$/gm, '$1');
  return open === undefined ? plain : `${plain}\n${open}`;
}

/** Returns the text in a fence. No part of the text can close this fence. */
export function fenceText(text: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}\n${text}\n${fence}`;
}

/** Returns a name as inline code on one line. */
export function inlineCode(text: string): string {
  const ticks = '`'.repeat(longestRun(text) + 1);
  const edge = /^`|`$/.test(text) ? ' ' : '';
  return `${ticks}${edge}${text.replaceAll(/\s+/g, ' ')}${edge}${ticks}`;
}

/** Returns a name or a title on one line, with `&`, `<` and backticks escaped. */
export function inlineWords(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('`', '&#96;');
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 0);
}

/**
 * Code that a parser finds: the private-use characters inside fences, and the private-use characters inside inline
 * code. If the text ends inside a fence, `open` is the marker to append.
 */
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
    // If a fence is inside a list or a quotation, it ends together with the list or the quotation. Only a fence at the
    // top level remains open.
    open: last?.type === 'fence' && last.level === 0 && isOpen(lines, last) ? last.markup : undefined,
  };
}

function isOpen(lines: readonly string[], { map, markup }: Pick<Token, 'map' | 'markup'>): boolean {
  const [first, end] = map ?? [0, 0];
  const line = lines[end - 1] ?? '';
  return end - 1 === first || !new RegExp(`^ {0,3}${markup}${markup[0] ?? ''}*[ \\t]*$`).test(line);
}

/**
 * For each line, returns true if an earlier line since the last blank line defines a link. After such a definition,
 * some viewers read a fence as the address or the title of the link.
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
 * Returns a function that takes the position of a `<`. The function returns true if every viewer treats inline code at
 * this position as code. It returns false in two cases. In the first case, there is no backtick before the `<` in its
 * line: for some viewers, inline code from an earlier line ends at a line that begins with HTML. In the second case,
 * there is an address with a backtick between the last blank line and the `<`: some viewers include this backtick in a
 * link. The caller must pass the positions in ascending order, so the total work is linear.
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

/**
 * Returns the position of the first backtick in each address, in order. If a word looks like part of an address, it
 * counts as an address.
 */
function ticksInAddresses(text: string): readonly number[] {
  return [...text.matchAll(/\S+/g)].flatMap(({ 0: word, index }) => {
    const begin = word.search(/www\.|:\/\/|@/i);
    const tick = begin === -1 ? -1 : word.indexOf('`', begin);
    return tick === -1 ? [] : [index + tick];
  });
}
