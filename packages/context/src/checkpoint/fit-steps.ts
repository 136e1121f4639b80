// Fits the steps of turns, and the names in files, into what the lists of a checkpoint leave free. Words and calls of the
// model come first, the newest of them; then lines of results and names by their worth for each token.

import { defined } from '@tidemark/core';
import type { Position, Range } from '@tidemark/log';
import { estimateTokens } from '../base/estimate.ts';
import type { Checkpoint, FileState, LeftOut, NameInFile, CheckpointStep } from './checkpoint.ts';
import { addLeftOut } from './limitations.ts';
import { outlineAt } from './shorten.ts';
import type { Candidate, FileName, Offered } from './steps-of.ts';
import { asNow } from './steps-of.ts';

/** Share of the room that words and calls may take before any line of a result. */
const OWN = 0.65;

/** Of these, the newest share that is never outlined. */
const WHOLE = 0.25;

/** Tokens that a step takes beside its text: its position and its marks. */
const MARKS = { said: 6, did: 5, found: 3 } as const;

/** Tokens of a declared name beside its letters: the number of its line. */
const DECLARED = 3;

/** Worth of what an earlier checkpoint kept. */
const CARRIED = { said: 2, did: 1.5, found: 4, name: 2 } as const;

/** Worth of the oldest thing of the range, as a share of that of the newest. */
const OLDEST = 0.4;

/** What there is to fit. Tokens are counted once. */
export interface PricedSteps {
  readonly own: readonly PricedStep<Candidate>[];
  readonly others: readonly (PricedStep<Candidate> | PricedStep<FileName>)[];
  /** Of all of them. */
  readonly tokens: number;
}

/** `order`: its place among all that has the same position. */
type PricedStep<T> = T & { readonly tokens: number; readonly order: number };

/** What the checkpoint before kept. */
interface Carried {
  readonly own: readonly Candidate[];
  readonly others: readonly (Candidate | FileName)[];
}

/** What fits. */
export interface FittedSteps {
  readonly steps: readonly CheckpointStep[];
  /** Names by path, in the order of their worth. */
  readonly names: ReadonlyMap<string, readonly NameInFile[]>;
  readonly leftOut: LeftOut | undefined;
}

/** Prices what a range offers, with what the checkpoint before it kept. */
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

/** Newer and shorter words and calls come first; a long one counts by the root of its length. */
function rank({ step, worth, tokens }: PricedStep<Candidate>, age: (position: number) => number): number {
  return (worth * age(step.position)) / Math.sqrt(tokens);
}

/** Returns what fits into so many tokens. `files`: the paths that the checkpoint names. */
export function fitSteps(
  { own, others }: PricedSteps,
  room: number,
  files: ReadonlySet<string>,
  before: LeftOut | undefined,
): FittedSteps {
  const kept: PricedStep<Candidate>[] = [];
  const names = new Map<string, NameInFile[]>();
  let left = room;
  const words = shortenSteps(own, room * OWN);
  const waiting: PricedStep<Candidate>[] = [];
  for (const one of words) {
    if (one.tokens <= left - room * (1 - OWN)) {
      kept.push(one);
      left -= one.tokens;
    } else waiting.push(one);
  }
  for (const one of others) {
    if (one.tokens > left || ('name' in one && !files.has(one.path))) continue;
    left -= one.tokens;
    if ('name' in one) names.set(one.path, [...(names.get(one.path) ?? []), nameOf(one)]);
    else kept.push(one);
  }
  const gone: Position[] = [];
  for (const one of waiting) {
    if (one.tokens <= left) {
      kept.push(one);
      left -= one.tokens;
    } else gone.push(one.step.position);
  }
  const steps = inOrder(kept);
  const places = steps.flatMap(({ kind, position }) => (kind === 'found' ? [] : [position]));
  return { steps, names, leftOut: addLeftOut(before, gone, places) };
}

/** Words as they are where all fit; else the older ones by their structure. */
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

/** One of each name of a file: the newest, with the most that it was ever worth. */
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

/** By position; words of an answer before its calls, and lines of a result as they stood in it. */
function inOrder(kept: readonly PricedStep<Candidate>[]): readonly CheckpointStep[] {
  return kept.toSorted((a, b) => a.step.position - b.step.position || a.order - b.order).map(({ step }) => step);
}
