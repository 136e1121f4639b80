// Fits the steps of turns and the names in files into the tokens that the lists of a checkpoint leave free. Texts and
// calls of the model are chosen first, newer ones before older ones. Lines of results and names follow. They are
// ordered by their worth per token. The worth is a weight for usefulness.

import { defined } from '@tidemark/core';
import type { Position, Range } from '@tidemark/log';
import { estimateTokens } from '../base/estimate.ts';
import type { Checkpoint, FileState, LeftOut, NameInFile, CheckpointStep } from './checkpoint.ts';
import { addLeftOut } from './limitations.ts';
import { outlineAt } from './shorten.ts';
import type { Candidate, FileName, Offered } from './steps-of.ts';
import { asNow } from './steps-of.ts';

/**
 * Share of the free tokens that texts and calls of the model may use first. After that, lines of results and names use
 * the remaining tokens.
 */
const OWN = 0.65;

/**
 * Share of the `OWN` tokens that is used for the highest-ranked texts in full length, if the texts of the model do not
 * all fit. All other texts are reduced to an outline.
 */
const WHOLE = 0.25;

/** Additional tokens of a step besides its text, for its position and markup. */
const MARKS = { said: 6, did: 5, found: 3 } as const;

/** Additional tokens of a declared name, for its line number. */
const DECLARED = 3;

/** Worth of items that an earlier checkpoint kept, by kind. A higher worth gives an item priority. */
const CARRIED = { said: 2, did: 1.5, found: 4, name: 2 } as const;

/** Factor for the worth of the oldest item of the range. The newest item has the factor 1. */
const OLDEST = 0.4;

/**
 * Items to fit, with the number of tokens of each. `own` contains texts and calls of the model. `others` contains lines
 * of results and names in files. In both lists, the items to choose first are at the beginning.
 */
export interface PricedSteps {
  readonly own: readonly PricedStep<Candidate>[];
  readonly others: readonly (PricedStep<Candidate> | PricedStep<FileName>)[];
  /** Total tokens of all items. */
  readonly tokens: number;
}

/** Item with its tokens. `order` is its rank among items with the same position. */
type PricedStep<T> = T & { readonly tokens: number; readonly order: number };

interface Carried {
  readonly own: readonly Candidate[];
  readonly others: readonly (Candidate | FileName)[];
}

/** Steps and names that fit, and the record of what was omitted. */
export interface FittedSteps {
  readonly steps: readonly CheckpointStep[];
  /** Chosen names by path. The name with the highest worth per token comes first. */
  readonly names: ReadonlyMap<string, readonly NameInFile[]>;
  readonly leftOut: LeftOut | undefined;
}

/**
 * Computes the tokens and the order of all items: the items that a range offers, and the items that the previous
 * checkpoint kept.
 */
export function priceSteps(before: Checkpoint | undefined, offered: Offered, range: Range): PricedSteps {
  const carried = carriedFrom(before);
  const { others } = carried;
  const age = ageIn(range);
  const named = others.flatMap((one) => ('name' in one ? asNow(one, offered.changed) : []));
  const names = newestNames([...named, ...offered.names]);
  const found = [...others.flatMap((one) => ('name' in one ? [] : [one])), ...offered.found];
  const weighed = [
    ...found.map((one, order) => ({
      ...one,
      worth: one.worth * age(one.step.position),
      tokens: stepTokens(one.step),
      order,
    })),
    ...names.map((one, order) => ({
      ...one,
      worth: one.worth * age(one.position),
      tokens: estimateTokens(one.name) + (one.declared === true ? DECLARED : 0),
      order,
    })),
  ];
  const own = [...carried.own, ...offered.own].map((one, order) => ({
    ...one,
    tokens: stepTokens(one.step),
    order,
  }));
  return {
    own: own.toSorted((a, b) => rank(b, age) - rank(a, age) || b.step.position - a.step.position),
    others: weighed.toSorted((a, b) => b.worth / b.tokens - a.worth / a.tokens),
    tokens: [...own, ...weighed].reduce((sum, { tokens }) => sum + tokens, 0),
  };
}

function rank({ step, worth, tokens }: PricedStep<Candidate>, age: (position: number) => number): number {
  return (worth * age(step.position)) / Math.sqrt(tokens);
}

/**
 * Returns the items that fit into `room` tokens. `files` contains the paths that the checkpoint names. Names in other
 * files are omitted.
 */
export function fitSteps(
  { own, others }: PricedSteps,
  room: number,
  files: ReadonlySet<string>,
  before: LeftOut | undefined,
): FittedSteps {
  const chosen: PricedStep<Candidate>[] = [];
  const names = new Map<string, NameInFile[]>();
  let left = room;
  const words = shortenSteps(own, room * OWN);
  const waiting: PricedStep<Candidate>[] = [];
  for (const one of words) {
    if (one.tokens <= left - room * (1 - OWN)) {
      chosen.push(one);
      left -= one.tokens;
    } else waiting.push(one);
  }
  for (const one of others) {
    if (one.tokens > left || ('name' in one && !files.has(one.path))) continue;
    left -= one.tokens;
    if ('name' in one) names.set(one.path, [...(names.get(one.path) ?? []), nameOf(one)]);
    else chosen.push(one);
  }
  const gone: Position[] = [];
  for (const one of waiting) {
    if (one.tokens <= left) {
      chosen.push(one);
      left -= one.tokens;
    } else gone.push(one.step.position);
  }
  const steps = inOrder(chosen);
  const places = steps.flatMap(({ kind, position }) => (kind === 'found' ? [] : [position]));
  return { steps, names, leftOut: addLeftOut(before, gone, places) };
}

function shortenSteps(own: PricedSteps['own'], most: number): PricedSteps['own'] {
  const all = own.reduce((sum, { tokens }) => sum + tokens, 0);
  if (all <= most) return own;
  let whole = most * WHOLE;
  return own.map((one) => {
    whole -= one.tokens;
    if (whole >= 0) return one;
    const step = { ...one.step, text: outlineAt(one.step.text, 0) };
    return { ...one, step, tokens: stepTokens(step) };
  });
}

function carriedFrom(before: Checkpoint | undefined): Carried {
  const steps = (before?.steps ?? []).map((step): Candidate => ({ step, worth: CARRIED[step.kind] }));
  const files: readonly FileState[] = [...(before?.filesRead ?? []), ...(before?.filesChanged ?? [])];
  const names = files.flatMap(({ position, path, names: held = [] }) =>
    held.map((one): FileName => ({ position, path, ...one, worth: CARRIED.name })),
  );
  return {
    own: steps.filter(({ step }) => step.kind !== 'found'),
    others: [...steps.filter(({ step }) => step.kind === 'found'), ...names],
  };
}

/**
 * Merges entries that have the same path and the same name. The merged entry has the newest data. Its worth is the
 * highest worth of the entries, plus 0.3 for each repetition.
 */
function newestNames(names: readonly FileName[]): readonly FileName[] {
  const found = new Map<string, FileName>();
  for (const one of names) {
    const key = `${one.path}\n${one.name}`;
    const was = found.get(key);
    found.set(key, was === undefined ? one : { ...was, ...one, worth: Math.max(one.worth, was.worth) + 0.3 });
  }
  return [...found.values()];
}

function nameOf({ name, line, declared }: FileName): NameInFile {
  return { name, ...defined({ line }), ...(declared === true && { declared }) };
}

function stepTokens({ kind, text }: CheckpointStep): number {
  return estimateTokens(text) + MARKS[kind] + (kind === 'found' ? 0 : text.split('\n').length - 1);
}

function ageIn({ from, to }: Range): (position: number) => number {
  const length = Math.max(1, to - from);
  return (position) => OLDEST + (1 - OLDEST) * Math.max(0, Math.min(1, (position - from) / length));
}

/** Sorts steps by position. At the same position, texts come before calls, and lines of a result keep their order. */
function inOrder(steps: readonly PricedStep<Candidate>[]): readonly CheckpointStep[] {
  return steps.toSorted((a, b) => a.step.position - b.step.position || a.order - b.order).map(({ step }) => step);
}
