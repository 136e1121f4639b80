// Shortens what people said, and an earlier summary, before they are fitted: the oldest prompts first, by their structure.
// Nothing is shortened while there is room for all of it.

import { estimateTokens } from '../base/estimate.ts';
import type { Directive, Objective, Quote } from './checkpoint.ts';
import { quoted } from './lines.ts';
import { fitText, OUTLINE_LEVELS, outlineAt } from './outline-text.ts';

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
    ...(summary && { summary: shortQuote(summary, Math.max(LEAST, left - MARKS)) }),
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
  return level < OUTLINE_LEVELS ? estimateTokens(quoted(outlineAt(text, level))) : LEAST;
}

/** What stands whole behind the checkpoint is kept whole for the next one, and is a line of this one. */
function directiveTokens(said: Directive): number {
  return said.below === true ? LEAST + MARKS : quoteTokens(said);
}

function quoteTokens({ text }: Quote): number {
  return estimateTokens(quoted(text)) + MARKS;
}

/** Within so many tokens as a quotation: its marks take room on each line. */
function shortQuote<T extends Quote>(said: T, tokens: number): T {
  const { text, of = text.length } = said;
  if (estimateTokens(quoted(text)) <= tokens) return said;
  let room = tokens;
  let short = { ...said, text: fitText(text, room), of };
  for (let run = 0; run < RUNS; run += 1) {
    const excess = estimateTokens(quoted(short.text)) - tokens;
    if (excess <= 0) break;
    room -= excess;
    short = { ...short, text: fitText(text, Math.max(1, room)) };
  }
  return short;
}

function textOf({ text, of }: Quote): Pick<Quote, 'text' | 'of'> {
  return { text, ...(of !== undefined && { of }) };
}
