// Shortens what people said, and an earlier summary, before they are fitted: the oldest prompts first, by their structure.
// Nothing is shortened while there is room for all of it.

import { defined } from '@tidemark/core';
import { estimateTokens } from '../base/estimate.ts';
import type { Directive, Objective, Quote } from './checkpoint.ts';
import { quoteText } from './lines.ts';
import { excerptOf, lineOf } from './excerpt.ts';

/** Of the room: the most that an objective takes which is no prompt of the list. */
const AIM = 0.15;

/** Of the room: what a summary keeps where prompts need all of it. */
const SUMMARY = 0.3;

/** The least tokens that a prompt is shortened to before it is left out. */
const LEAST = 24;

/** Runs in which a quotation is brought within its tokens. */
const RUNS = 4;

/** Tokens of a prompt beside its words. */
const MARKS = 6;

/** What people said, and the summary. */
export interface Quotes {
  readonly objective?: Objective;
  readonly directives: readonly Directive[];
  readonly summary?: Quote;
}

/** Returns the quotes within so many tokens. */
export function shortenQuotes({ objective, directives, summary }: Quotes, room: number): Quotes {
  const repeated = objective !== undefined && directives.some(({ position }) => position === objective.position);
  const aim = objective && (repeated ? objective : shortQuote(objective, Math.max(LEAST, room * AIM)));
  const rest = room - (aim === undefined || repeated ? 0 : quoteTokens(aim));
  const needed = directives.reduce((sum, said) => sum + directiveTokens(said), 0);
  const ofSummary = summary === undefined ? 0 : quoteTokens(summary);
  const forSummary = Math.min(ofSummary, Math.max(rest - needed, rest * SUMMARY));
  const said = shortenOldest(directives, rest - forSummary);
  const now = said.find(({ position }) => position === objective?.position);
  const left = rest - said.reduce((sum, one) => sum + directiveTokens(one), 0);
  return {
    // The objective is a prompt too, and is shortened alike, so that it is quoted once.
    ...(aim && { objective: repeated && now?.below !== true ? { ...aim, ...textOf(now ?? aim) } : aim }),
    directives: said,
    ...defined({ summary: summary === undefined ? undefined : shortQuote(summary, Math.max(LEAST, left - MARKS)) }),
  };
}

/**
 * Shrinks one prompt after the other, the oldest first, until all of them fit: each to its structure, then to shorter lines,
 * and only then to its beginning and its end.
 */
function shortenOldest(directives: readonly Directive[], room: number): readonly Directive[] {
  let short = directives;
  for (let level = 0; level <= OUTLINE_LEVELS; level += 1) short = shortenTo(short, room, level);
  return short;
}

function shortenTo(directives: readonly Directive[], room: number, level: number): readonly Directive[] {
  let excess = directives.reduce((sum, said) => sum + directiveTokens(said), 0) - room;
  return directives.map((said) => {
    if (excess <= 0 || said.below === true) return said;
    const tokens = directiveTokens(said);
    const next = shortQuote(said, Math.max(leastAt(said, level), tokens - MARKS - excess));
    excess -= tokens - directiveTokens(next);
    return next;
  });
}

/** The tokens below which a prompt is not shortened at a level: those of its outline, and at last those of its two ends. */
function leastAt({ text }: Directive, level: number): number {
  return level < OUTLINE_LEVELS ? estimateTokens(quoteText(outlineAt(text, level))) : LEAST;
}

/** What stands whole behind the checkpoint is kept whole for the next one, and is a line of this one. */
function directiveTokens(said: Directive): number {
  return said.below === true ? LEAST + MARKS : quoteTokens(said);
}

function quoteTokens({ text }: Quote): number {
  return estimateTokens(quoteText(text)) + MARKS;
}

/** Within so many tokens as a quotation: its marks take room on each line. */
function shortQuote<T extends Quote>(said: T, tokens: number): T {
  const { text, of = text.length } = said;
  if (estimateTokens(quoteText(text)) <= tokens) return said;
  let room = tokens;
  let short = { ...said, text: fitText(text, room), of };
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

// Shortens a long text by its structure: a list keeps the first line of every item, a paragraph its first and last sentence. The
// remaining room goes to the whole of them, in order.

/** Stands where words are missing. */
const GAP = ' […]';

/** A paragraph of at most so many UTF-16 units stays whole. */
const PARAGRAPH = 160;

/** Of one line of an outline, in UTF-16 units, where the outline alone does not fit. */
const LINES: readonly number[] = [300, 120, 60];

/** A mark of a list, the name of a requirement (`R1:`, `REQ-7`), or a row of a table. */
const ITEM =
  /^\s*(?:(?:[-*+•]|#{1,6}|(?:\d{1,4}|[A-Za-z])[.):]|\((?:\d{1,4}|[A-Za-z])\)|\[[ xX]\]|[A-Z]{1,8}-?\d{1,5}[.):]?)\s|\d{1,4}[、．]|\|)/;

/** A paragraph of so many lines is cut between them. */
const MANY = 4;

const FENCE = /^\s*(?:```|~~~)/;

/** How far an outline is shortened: by structure alone, then its lines cut shorter, step by step. */
const OUTLINE_LEVELS: number = 1 + LINES.length;

/** Returns the outline of a text. Level 0 keeps its lines whole. */
export function outlineAt(text: string, level: number): string {
  return blocksOf(text)
    .map((block) => outlineOf(block, level))
    .join('\n');
}

/**
 * Returns a text within so many tokens, by `estimateTokens`: whole where it fits; then its outline, with as much of the rest as
 * there is room for; then its outline with shorter lines; then its beginning and its end.
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

/** A paragraph, an item of a list with what belongs to it, or a block of code. */
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

/** Of code, the first line inside its fence. */
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

/** Puts the whole of blocks back in their order while there is room, and as much as fits of one that is longer. */
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

/** As much of a block as so many tokens hold: of several lines the first ones, of one long paragraph its two ends. */
function partOf(kind: OutlineBlock['kind'], lines: readonly string[], tokens: number): string {
  if (kind === 'paragraph' && lines.length < MANY) return excerptWithin(lines.join('\n'), tokens);
  let left = tokens - estimateTokens(GAP);
  const kept = lines.slice(
    0,
    lines.findIndex((line) => (left -= estimateTokens(`${line}\n`)) < 0),
  );
  return [...kept, GAP.trim()].join('\n');
}

/** A long line keeps its end where there is room: what is forbidden often stands there. */
function cutLine(line: string, most: number): string {
  if (most === LINES[0]) return excerptOf(line, most);
  return line.length <= most ? line : `${lineOf(line.trimEnd(), most)}${GAP}`;
}

/** The beginning and the end. An excerpt is cut by length, so it becomes shorter until its tokens fit. */
function excerptWithin(text: string, tokens: number): string {
  let most = Math.max(0, tokens * 6);
  for (;;) {
    const cut = excerptOf(text, most);
    if (estimateTokens(cut) <= tokens || most < 8) return cut;
    most = Math.floor(most * 0.9);
  }
}
