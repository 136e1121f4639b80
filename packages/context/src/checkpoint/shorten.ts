// Shortens what people said before it is fitted: older prompts, the objective, and the newest where it is very long.

import { estimateTokens } from '../estimate.ts';
import type { Directive, Quote } from './checkpoint.ts';
import { excerptAgain } from './excerpt.ts';
import type { Merged } from './merge.ts';

const OLDER = 600;
const OBJECTIVE = 2_000;
/** Of the bound, what the newest prompt may take and still stand whole, and what the objective may take. */
const NEWEST = 0.3;
const AIM = 0.15;
/** UTF-16 units to a token, taken low: an excerpt is cut by length, and its tokens then fit. */
const UNITS = 2;

/** The fields as they are when no quotation takes more than it should of so many tokens. */
export function shorten(merged: Merged, bound: number): Merged {
  const { objective, directives } = merged;
  const newest = directives.findLast(({ below }) => below !== true);
  return {
    ...merged,
    ...(objective && { objective: shortQuote(objective, Math.min(OBJECTIVE, bound * UNITS * AIM)) }),
    directives: directives.map((said) => shortDirective(said, said === newest, bound)),
  };
}

function shortDirective(said: Directive, newest: boolean, bound: number): Directive {
  // What stands whole behind the checkpoint is kept whole for the next one, and is no line of this one.
  if (said.below === true) return said;
  if (!newest) return shortQuote(said, Math.min(OLDER, bound * UNITS * NEWEST));
  return estimateTokens(said.text) <= bound * NEWEST ? said : shortQuote(said, bound * UNITS * NEWEST);
}

function shortQuote<T extends Quote>(said: T, most: number): T {
  if (said.text.length <= most) return said;
  const { text, of = text.length } = said;
  return { ...said, text: excerptAgain(text, of, most), of };
}
