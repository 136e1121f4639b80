// Makes a checkpoint from the records that it replaces. The code is pure: equal records give equal bytes.

import { defined } from '@tidemark/core';
import type { HistoryCompacted, Position, Range, Recorded } from '@tidemark/log';
import type { Checkpoint, FileState, Quote, TurnState } from './checkpoint.ts';
import { checkpointTokens } from './checkpoint-text.ts';
import { fitLists, priceLists, tokensBesidePrompts } from './fit.ts';
import type { PricedSteps } from './fit-steps.ts';
import { fitSteps, priceSteps } from './fit-steps.ts';
import { gather, UNDER_WAY } from './gather.ts';
import { limitationsOf } from './limitations.ts';
import { mentionsIn } from './mentions.ts';
import type { Merged } from './merge.ts';
import { mergeFields } from './merge.ts';
import { placeAdds, missingPositions } from './model-adds.ts';
import type { ModelFields } from './model-answer.ts';
import { readCheckpoint } from './read-checkpoint.ts';
import { shortenQuotes } from './shorten.ts';
import { offeredBy } from './steps-of.ts';

/**
 * Minimum and maximum share of the bound for prompts and a summary. `FIXED` is the number of tokens of the text that is
 * always present.
 */
const MIN_QUOTES = 0.5;

const MAX_QUOTES = 0.9;

const FIXED = 300;

export interface CheckpointInput {
  /**
   * Records of the range that are new since `previous`, in order. If there is no `previous`, or if it has no `fields`,
   * these are all records of the range. Older records are skipped. Records after the range are used only for two
   * purposes: to find results of calls in the range, and to find names that the checkpoint does not need to repeat.
   */
  readonly records: Iterable<Recorded>;
  /** Range that the checkpoint will replace. It begins where the range of `previous` begins. */
  readonly range: Range;
  /** Previous checkpoint, even if no epoch has used it yet. Its fields are carried over. */
  readonly previous?: HistoryCompacted;
  /**
   * Maximum tokens of the text and the limitations, by `estimateTokens`. If `bound` is below about 600, the fixed text
   * alone may exceed it.
   */
  readonly bound: number;
  /** Names of the skills whose bodies remain after the checkpoint. */
  readonly skillsInTail?: Iterable<string>;
  /**
   * Paths of the files that were read again after the range. The paths have the form in which the tools reported them.
   */
  readonly filesInTail?: Iterable<string>;
  /** Positions of the prompts that remain whole after the checkpoint. */
  readonly keptPrompts?: Iterable<number>;
  /** Items written by a model. They replace the items that a model wrote for the previous checkpoint. */
  readonly fromModel?: ModelFields;
}

/**
 * Returns the checkpoint of a range within the bound: the fields of the previous checkpoint, facts from the new
 * records, and items from a model. Omitted items are named in the limitations with their positions, also in later
 * checkpoints.
 */
export function makeCheckpoint(input: CheckpointInput): Checkpoint {
  const { range, bound, previous, fromModel } = input;
  const records = [...input.records];
  const before = previous && readCheckpoint(previous);
  const after = before?.range.to ?? range.from - 1;
  const found = gather(records, after, range.to, before?.turns.at(-1));
  const adds = fromModel && placeAdds(fromModel, range);
  const dropped = before && adds ? missingPositions(before, adds) : [];
  const merged = mergeFields(before, found, adds, {
    skills: new Set(input.skillsInTail),
    files: new Set(input.filesInTail),
    prompts: new Set(input.keptPrompts),
  });
  const summary = before === undefined ? previous && summaryOf(previous) : before.summary;
  const {
    objective,
    summary: shortSummary,
    directives,
  } = shortenQuotes({ ...merged, ...defined({ summary }) }, quotesRoom(merged, bound));
  const base = {
    form: 'checkpoint/2',
    strategy: fromModel === undefined ? 'deterministic' : 'model-assisted',
    range,
    counts: addCounts(before?.counts ?? {}, found.counts),
    ...(objective && { objective }),
    ...defined({ summary: shortSummary }),
  } as const;
  const { objective: _, ...lists } = { ...merged, directives };
  const priced = priceLists(lists);
  const steps = priceSteps(before, offeredBy(found, mentionsIn(records, after, range.to)), range);
  const goneOn = new Set(found.turns.map(({ position }) => position));
  const turns = [...(before?.turns ?? []).filter(({ position }) => !goneOn.has(position)), ...found.turns];
  const within = (room: number): Checkpoint => {
    const fitted = fitLists(priced, room, steps.tokens, before?.leftOut ?? {});
    const whole = withSteps({ ...base, ...fitted.lists, leftOut: fitted.leftOut }, fitted.left, steps, turns, before);
    return { ...whole, limitations: limitationsOf(whole, fromModel?.limitations ?? [], dropped) };
  };
  return fitBound(within, bound);
}

/**
 * Returns the tokens for prompts and a summary. The result is `MAX_QUOTES` of the bound, minus the fixed text and the
 * needs of the other lists. It is at least `MIN_QUOTES` of the bound. The share above `MAX_QUOTES` is reserved for the
 * steps.
 */
function quotesRoom(merged: Merged, bound: number): number {
  const otherTokens = tokensBesidePrompts(priceLists(merged), bound);
  return Math.max(bound * MIN_QUOTES, bound * MAX_QUOTES - FIXED - otherTokens);
}

function withSteps(
  lists: Omit<Checkpoint, 'limitations' | 'turns' | 'steps'>,
  room: number,
  priced: PricedSteps,
  turns: readonly TurnState[],
  before: Checkpoint | undefined,
): Omit<Checkpoint, 'limitations'> {
  const files = [...lists.filesRead, ...lists.filesChanged];
  const { steps, names, leftOut } = fitSteps(
    priced,
    room,
    new Set(files.map(({ path }) => path)),
    before?.leftOut.steps,
  );
  const named = (file: FileState): FileState => {
    const held = names.get(file.path);
    return held === undefined ? file : { ...file, names: held };
  };
  const places = steps.map(({ position }) => position);
  return {
    ...lists,
    filesRead: lists.filesRead.map(named),
    filesChanged: lists.filesChanged.map(named),
    turns: turnsWith(turns, places),
    steps,
    leftOut: { ...lists.leftOut, ...defined({ steps: leftOut }) },
  };
}

/**
 * Returns the turns that contain one of the positions in `places`, and the turn in progress. Both arrays must be sorted
 * by position.
 */
function turnsWith(turns: readonly TurnState[], places: readonly Position[]): readonly TurnState[] {
  let next = 0;
  return turns.filter(({ position, to, outcome }) => {
    while ((places[next] ?? Infinity) < position) next += 1;
    return (places[next] ?? Infinity) <= to || outcome === UNDER_WAY;
  });
}

/**
 * Reduces the tokens for the lists until the whole checkpoint, with its fixed text, fits the bound. If the checkpoint
 * does not fit with zero tokens for the lists, the result is above the bound.
 */
function fitBound(within: (room: number) => Checkpoint, bound: number): Checkpoint {
  let room = bound;
  for (;;) {
    const checkpoint = within(room);
    const excess = checkpointTokens(checkpoint) - bound;
    if (excess <= 0 || room === 0) return checkpoint;
    room = Math.max(0, room - excess);
  }
}

/** Used for a checkpoint without `fields`, which another program wrote. Its text is quoted unchanged. */
function summaryOf({ range, checkpoint }: HistoryCompacted): Quote {
  return { position: range.to, text: checkpoint };
}

function addCounts(before: Checkpoint['counts'], found: ReadonlyMap<string, number>): Checkpoint['counts'] {
  const counts = new Map(Object.entries(before));
  for (const [kind, count] of found) counts.set(kind, (counts.get(kind) ?? 0) + count);
  return Object.fromEntries([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
