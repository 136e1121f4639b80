// Shortens prompts and an earlier summary before the lists are fitted. The oldest prompts are shortened first, by their
// structure. Nothing is shortened if everything fits.

import { defined } from '@tidemark/core';
import { estimateTokens } from '../base/estimate.ts';
import type { Directive, Objective, Quote } from './checkpoint.ts';
import { quoteText } from './lines.ts';
import { excerptOf, lineOf } from './excerpt.ts';

/** Maximum share for the objective if it is not in the list of prompts. It is a share of the tokens for all quotes. */
const AIM = 0.15;

/**
 * Share that is reserved for a summary if the prompts alone need all tokens. It is a share of the tokens for all
 * quotes.
 */
const SUMMARY = 0.3;

/** Minimum tokens of a shortened prompt. */
const MIN_PROMPT = 24;

/** Maximum number of attempts to shorten a quotation to its token limit. */
const RUNS = 4;

/** Additional tokens of a prompt besides its text, for its markup. */
const MARKS = 6;

/** The objective, the prompts and the summary of a checkpoint. */
export interface Quotes {
  readonly objective?: Objective;
  readonly directives: readonly Directive[];
  readonly summary?: Quote;
}

/**
 * Returns the quotes, shortened to fit into `room` tokens. Each prompt keeps at least `MIN_PROMPT` tokens. If there are
 * very many prompts, they can exceed `room`.
 */
export function shortenQuotes({ objective, directives, summary }: Quotes, room: number): Quotes {
  const repeated = objective !== undefined && directives.some(({ position }) => position === objective.position);
  const aim = objective && (repeated ? objective : shortQuote(objective, Math.max(MIN_PROMPT, room * AIM)));
  const rest = room - (aim === undefined || repeated ? 0 : quoteTokens(aim));
  const needed = directives.reduce((sum, directive) => sum + directiveTokens(directive), 0);
  const ofSummary = summary === undefined ? 0 : quoteTokens(summary);
  const forSummary = Math.min(ofSummary, Math.max(rest - needed, rest * SUMMARY));
  const shortened = shortenOldest(directives, rest - forSummary);
  const now = shortened.find(({ position }) => position === objective?.position);
  const left = rest - shortened.reduce((sum, one) => sum + directiveTokens(one), 0);
  return {
    // An objective that is also in the list of prompts is shortened in the same way, so both texts are equal.
    ...(aim && { objective: repeated && now?.below !== true ? { ...aim, ...textOf(now ?? aim) } : aim }),
    directives: shortened,
    ...defined({
      summary: summary === undefined ? undefined : shortQuote(summary, Math.max(MIN_PROMPT, left - MARKS)),
    }),
  };
}

/**
 * Shortens the prompts in order, oldest first, until all fit. A prompt is first reduced to its outline. If this is not
 * enough, the lines of the outline are shortened. If this is not enough either, only the beginning and end of the
 * prompt remain.
 */
function shortenOldest(directives: readonly Directive[], room: number): readonly Directive[] {
  let short = directives;
  for (let level = 0; level <= OUTLINE_LEVELS; level += 1) short = shortenTo(short, room, level);
  return short;
}

function shortenTo(directives: readonly Directive[], room: number, level: number): readonly Directive[] {
  let excess = directives.reduce((sum, directive) => sum + directiveTokens(directive), 0) - room;
  return directives.map((directive) => {
    if (excess <= 0 || directive.below === true) return directive;
    const tokens = directiveTokens(directive);
    const next = shortQuote(directive, Math.max(leastAt(directive, level), tokens - MARKS - excess));
    excess -= tokens - directiveTokens(next);
    return next;
  });
}

function leastAt({ text }: Directive, level: number): number {
  return level < OUTLINE_LEVELS ? estimateTokens(quoteText(outlineAt(text, level))) : MIN_PROMPT;
}

/**
 * Returns the tokens of a prompt in this checkpoint. If the prompt remains whole after the checkpoint, it takes only
 * one line here. Its full text is stored for the next checkpoint.
 */
function directiveTokens(directive: Directive): number {
  return directive.below === true ? MIN_PROMPT + MARKS : quoteTokens(directive);
}

function quoteTokens({ text }: Quote): number {
  return estimateTokens(quoteText(text)) + MARKS;
}

/** Shortens a text so that its quotation has at most `tokens` tokens. The mark before each quoted line counts too. */
function shortQuote<T extends Quote>(quote: T, tokens: number): T {
  const { text, of = text.length } = quote;
  if (estimateTokens(quoteText(text)) <= tokens) return quote;
  let room = tokens;
  let short = { ...quote, text: fitText(text, room), of };
  for (let run = 0; run < RUNS; run += 1) {
    const excess = estimateTokens(quoteText(short.text)) - tokens;
    if (excess <= 0) break;
    room -= excess;
    short = { ...short, text: fitText(text, Math.max(1, room)) };
  }
  return short;
}

function textOf({ text, of }: Quote): Pick<Quote, 'text' | 'of'> {
  return defined({ text, of });
}

// The next functions shorten a long text by its structure. A list keeps the first line of every item. A paragraph keeps
// its first and last sentence. If tokens remain, whole blocks are restored, in order.

const GAP = ' […]';

/** Maximum length of a paragraph that stays whole, in UTF-16 units. */
const PARAGRAPH = 160;

/** Maximum length of an outline's lines at the levels 1, 2 and 3, in UTF-16 units. Level 0 does not cut lines. */
const LINES: readonly number[] = [300, 120, 60];

/** Beginning of a list item: a list mark, the name of a requirement (`R1:`, `REQ-7`), or a row of a table. */
const ITEM =
  /^\s*(?:(?:[-*+•]|#{1,6}|(?:\d{1,4}|[A-Za-z])[.):]|\((?:\d{1,4}|[A-Za-z])\)|\[[ xX]\]|[A-Z]{1,8}-?\d{1,5}[.):]?)\s|\d{1,4}[、．]|\|)/;

/**
 * A paragraph with at least this number of lines is cut between lines. A paragraph with fewer lines keeps its beginning
 * and end.
 */
const MANY = 4;

const FENCE = /^\s*(?:```|~~~)/;

const OUTLINE_LEVELS: number = 1 + LINES.length;

/** Returns the outline of a text. At level 0 its lines are not cut. Each further level cuts the lines shorter. */
export function outlineAt(text: string, level: number): string {
  return blocksOf(text)
    .map((block) => outlineOf(block, level))
    .join('\n');
}

/**
 * Returns a text that fits into `tokens` tokens, by `estimateTokens`. The first form that fits is returned. The forms
 * are: the whole text; its outline with as many whole blocks as fit; its outline with shorter lines; its beginning and
 * end.
 */
function fitText(text: string, tokens: number): string {
  if (estimateTokens(text) <= tokens) return text;
  const blocks = blocksOf(text);
  for (let level = 0; level < OUTLINE_LEVELS; level += 1) {
    const outlines = blocks.map((block) => outlineOf(block, level));
    const left = tokens - estimateTokens(outlines.join('\n'));
    if (left >= 0) return restore(blocks, outlines, left);
  }
  return excerptWithin(text, tokens);
}

/** Paragraph, list item with its following lines, or block of code. */
interface OutlineBlock {
  readonly kind: 'paragraph' | 'item' | 'code';
  readonly lines: readonly string[];
}

function blocksOf(text: string): readonly OutlineBlock[] {
  const blocks: { kind: OutlineBlock['kind']; lines: string[] }[] = [];
  let open: 'paragraph' | 'item' | 'code' | undefined;
  for (const line of text.split(/\r\n|[\n\r]/)) {
    const last = blocks.at(-1);
    const fence = FENCE.test(line);
    if (open === 'code') {
      last?.lines.push(line);
      if (fence) open = undefined;
    } else if (line.trim() === '') open = undefined;
    else if (fence || ITEM.test(line) || open === undefined || last === undefined) {
      open = fence ? 'code' : ITEM.test(line) ? 'item' : 'paragraph';
      blocks.push({ kind: open, lines: [line] });
    } else last.lines.push(line);
  }
  return blocks;
}

function outlineOf({ kind, lines }: OutlineBlock, level: number): string {
  const outline = kind === 'paragraph' ? endsOf(lines) : firstOf(kind, lines);
  const most = LINES[level - 1];
  if (most === undefined) return outline;
  return outline
    .split('\n')
    .map((line) => cutLine(line, most))
    .join('\n');
}

function firstOf(kind: OutlineBlock['kind'], lines: readonly string[]): string {
  const first = (kind === 'code' ? lines[1] : lines[0]) ?? '';
  return lines.length === 1 ? first : `${first}${GAP}`;
}

function endsOf(lines: readonly string[]): string {
  const whole = lines.join('\n');
  if (whole.length <= PARAGRAPH) return whole;
  const sentences = whole.split(/(?<=[.!?:])\s+/);
  if (sentences.length < 3) return lines.length < 3 ? whole : `${lines[0]}${GAP}\n${lines.at(-1)}`;
  return `${sentences[0]}${GAP} ${sentences.at(-1)}`;
}

function restore(blocks: readonly OutlineBlock[], outlines: readonly string[], room: number): string {
  let left = room;
  return blocks
    .map(({ kind, lines }, index) => {
      const [whole, outline] = [lines.join('\n'), outlines[index] ?? ''];
      if (whole === outline || left <= 0) return outline;
      const had = estimateTokens(outline);
      const fits = had + left >= estimateTokens(whole);
      const next = fits ? whole : partOf(kind, lines, had + left - 1);
      if (next.length <= outline.length) return outline;
      left -= estimateTokens(next) - had;
      return next;
    })
    .join('\n');
}

/**
 * Returns the part of a block that fits into `tokens` tokens. This is the first lines of the block. For a paragraph of
 * few lines, it is the beginning and end.
 */
function partOf(kind: OutlineBlock['kind'], lines: readonly string[], tokens: number): string {
  if (kind === 'paragraph' && lines.length < MANY) return excerptWithin(lines.join('\n'), tokens);
  let left = tokens - estimateTokens(GAP);
  const keptLines = lines.slice(
    0,
    lines.findIndex((line) => (left -= estimateTokens(`${line}\n`)) < 0),
  );
  return [...keptLines, GAP.trim()].join('\n');
}

/**
 * Cuts a line to about `most` UTF-16 units. At the largest limit, `LINES[0]`, the end of the line is kept too, because
 * prohibitions often come last.
 */
function cutLine(line: string, most: number): string {
  if (most === LINES[0]) return excerptOf(line, most);
  return line.length <= most ? line : `${lineOf(line.trimEnd(), most)}${GAP}`;
}

/**
 * Returns the beginning and end of a text. An excerpt is cut by length, so the length is reduced until its tokens fit.
 */
function excerptWithin(text: string, tokens: number): string {
  let most = Math.max(0, tokens * 6);
  for (;;) {
    const cut = excerptOf(text, most);
    if (estimateTokens(cut) <= tokens || most < 8) return cut;
    most = Math.floor(most * 0.9);
  }
}
