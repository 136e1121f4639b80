// Markdown for a terminal: formats the text of an answer as lines. Code keeps its text, so it can be copied. The
// structure is visible without colours too.

import type { Token } from 'markdown-it';
import MarkdownIt from 'markdown-it';

import type { Shown } from '../../frame/shown.ts';
import { render, withStyle } from '../../frame/shown.ts';
import { diffLine } from './diff-lines.ts';
import { inlineLines } from './inline-lines.ts';
import type { HangingLine, Line } from '../state/line.ts';
import type { TableRow } from './table-lines.ts';
import { tableLines } from './table-lines.ts';

/**
 * Parser of answers. Without `lheading` a line of signs below a paragraph does not turn the paragraph into a heading
 * while the answer arrives. Without `reference` no line of the answer disappears.
 */
const READER = new MarkdownIt('default', { html: false }).disable(['lheading', 'reference']);

/** Maximum length of a text that is parsed, in characters. A longer text is shown as it is. */
const LONGEST = 400_000;

/** Returns the lines of a Markdown text for a terminal of this width. */
export function markdownLines(text: string, columns: number): readonly Line[] {
  const trimmed = text.trimEnd();
  if (trimmed === '') return [];
  if (trimmed.length > LONGEST) return trimmed.split('\n');
  return linesOfBlocks(READER.parse(trimmed, {}), { columns, lead: '', hang: '' });
}

/** Place of a block: the columns of the terminal, and the signs before its first row and its later rows. */
interface MarkdownPlace {
  readonly columns: number;
  readonly lead: string;
  readonly hang: string;
}

/** Returns the lines of sibling blocks. An empty line separates them, except between the items of a tight list. */
function linesOfBlocks(tokens: readonly Token[], place: MarkdownPlace, isTight = false): readonly Line[] {
  const lines: Line[] = [];
  for (let at = 0; at < tokens.length;) {
    const token = tokens[at];
    if (token === undefined) break;
    const end = token.nesting === 1 ? closing(tokens, at) : at;
    const own = lines.length === 0 ? place : { ...place, lead: place.hang };
    const block = linesOfBlock(token, tokens.slice(at + 1, end), own);
    if (block.length > 0) {
      if (lines.length > 0 && !isTight) lines.push(place.hang.trimEnd());
      lines.push(...block);
    }
    at = end + 1;
  }
  return lines;
}

function closing(tokens: readonly Token[], open: number): number {
  const level = tokens[open]?.level;
  for (let at = open + 1; at < tokens.length; at += 1)
    if (tokens[at]?.nesting === -1 && tokens[at]?.level === level) return at;
  return tokens.length;
}

function linesOfBlock(token: Token, inner: readonly Token[], place: MarkdownPlace): readonly Line[] {
  switch (token.type) {
    case 'heading_open':
      return hanging(inlineOf(inner, 'bold'), place, withStyle('bold', `${token.markup} `));
    case 'paragraph_open':
      return hanging(inlineOf(inner), place);
    case 'fence':
    case 'code_block':
      return codeLines(token, place);
    case 'bullet_list_open':
    case 'ordered_list_open':
      return listLines(token, inner, place);
    case 'blockquote_open':
      return linesOfBlocks(inner, { ...place, lead: `${place.lead}│ `, hang: `${place.hang}│ ` });
    case 'table_open':
      return tableLines(tableRows(inner), place.columns - place.hang.length).map((line, index) =>
        indented(line, index === 0 ? place.lead : place.hang, place.hang),
      );
    case 'hr':
      return [[place.lead, withStyle('dim', '─'.repeat(Math.max(3, Math.min(40, place.columns - place.hang.length))))]];
    default:
      return token.content === '' ? [] : token.content.split('\n').map((line) => [place.hang, line]);
  }
}

function indented(line: Line, lead: string, hang: string): Line {
  if (lead === '' && hang === '') return line;
  return typeof line === 'object' && 'lead' in line
    ? { ...line, lead: [lead, line.lead], hang: [hang, line.hang] }
    : { lead, hang, words: line, wrap: 'characters' };
}

function inlineOf(inner: readonly Token[], style?: 'bold'): readonly Shown[] {
  return inner.flatMap((token) => (token.type === 'inline' ? inlineLines(token.children ?? [], style) : []));
}

function hanging(lines: readonly Shown[], { lead, hang }: MarkdownPlace, sign: Shown = ''): readonly HangingLine[] {
  const blank = ' '.repeat(render(sign, false).length);
  return lines.map((words, index) => ({
    lead: index === 0 ? [lead, sign] : [hang, blank],
    hang: [hang, blank],
    words,
  }));
}

/**
 * Returns the lines of a code block between two dim fences. The code begins at the left edge, also inside a list, and
 * nothing is before it. Therefore it can be copied from the terminal.
 */
function codeLines({ content, info, markup }: Token, { lead, hang }: MarkdownPlace): readonly Line[] {
  const language = info.trim().split(/\s+/, 1)[0] ?? '';
  const fence = markup === '' ? '```' : markup;
  const quote = hang.includes('│') ? hang : '';
  const lines = content.replace(/\n$/, '').split('\n');
  return [
    [lead, withStyle('dim', `${fence}${language}`)],
    ...lines.map((line): Line => ({
      lead: quote,
      hang: quote,
      words: language === 'diff' ? diffLine(line) : line,
      wrap: 'characters',
    })),
    [hang, withStyle('dim', fence)],
  ];
}

function listLines(list: Token, inner: readonly Token[], place: MarkdownPlace): readonly Line[] {
  const items = childrenOf(inner);
  const first = Number(list.attrGet('start') ?? 1);
  const isTight = inner.every(
    (token) => token.type !== 'paragraph_open' || token.hidden || token.level > list.level + 2,
  );
  return items.flatMap(({ inner: tokens }, index) => {
    const sign = list.type === 'ordered_list_open' ? `${first + index}. ` : '• ';
    const lead = `${index === 0 ? place.lead : place.hang}${sign}`;
    const hang = `${place.hang}${' '.repeat(sign.length)}`;
    const lines = linesOfBlocks(tokens, { ...place, lead, hang }, isTight);
    const item: readonly Line[] = lines.length === 0 ? [lead.trimEnd()] : lines;
    return index > 0 && !isTight ? [place.hang.trimEnd(), ...item] : item;
  });
}

/** An element with the tokens inside it. */
interface Element {
  readonly token: Token;
  readonly inner: readonly Token[];
}

function childrenOf(tokens: readonly Token[]): readonly Element[] {
  const children: Element[] = [];
  for (let at = 0; at < tokens.length;) {
    const token = tokens[at];
    if (token === undefined) break;
    const end = token.nesting === 1 ? closing(tokens, at) : at;
    children.push({ token, inner: tokens.slice(at + 1, end) });
    at = end + 1;
  }
  return children;
}

function tableRows(inner: readonly Token[]): readonly TableRow[] {
  return childrenOf(inner).flatMap(({ token: part, inner: rows }) =>
    childrenOf(rows).map(({ inner: cells }) => ({
      isHead: part.type === 'thead_open',
      cells: childrenOf(cells).map(({ inner: content }) => ({
        words: inlineOf(content, part.type === 'thead_open' ? 'bold' : undefined),
      })),
    })),
  );
}
