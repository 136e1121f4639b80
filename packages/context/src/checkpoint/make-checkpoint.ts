// Makes a checkpoint from the records that it will stand for. Pure: the same records, the same bytes.

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

/** Of the bound: the least and the most that prompts and a summary may take, and tokens of the words that are always there. */
const LEAST_QUOTES = 0.5;

const MOST_QUOTES = 0.9;

const FIXED = 300;

/** What a checkpoint is made from. */
export interface CheckpointInput {
  /**
   * The records that are new to it, in order; with none before it, or one that holds no `fields`, all of the range. Those
   * outside, or that the one before stands for, are passed over.
   */
  readonly records: Iterable<Recorded>;
  /** What it will stand for, beginning where the one before it began. */
  readonly range: Range;
  /** The checkpoint before it, taken up by an epoch or not: its fields are carried over. */
  readonly previous?: HistoryCompacted;
  /** The most tokens, by `estimateTokens`, of its text and limitations. Below some 600 the fixed words may take more. */
  readonly bound: number;
  /** Names of the skills whose bodies still stand behind it. */
  readonly skillsInTail?: Iterable<string>;
  /** Paths, as tools told them, of the files that were read again behind it. */
  readonly filesInTail?: Iterable<string>;
  /** Positions of the prompts that will stand whole behind it. */
  readonly keptPrompts?: Iterable<number>;
  /** What a model writes: it stands in the place of what a model wrote before. */
  readonly fromModel?: ModelFields;
}

/**
 * The checkpoint of a range: what the one before it carried, what the new records hold, and what a model adds, within the
 * bound. What does not fit is named in the limitations, with its place in the log, and stays named in those that follow.
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
    summary: said,
    directives,
  } = shortenQuotes({ ...merged, ...defined({ summary }) }, quotesRoom(merged, bound));
  const base = {
    form: 'checkpoint/2',
    strategy: fromModel === undefined ? 'deterministic' : 'model-assisted',
    range,
    counts: addCounts(before?.counts ?? {}, found.counts),
    ...(objective && { objective }),
    ...defined({ summary: said }),
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

/** What prompts and a summary may take: all that the other lists leave but the least share of the steps, and at least half. */
function quotesRoom(merged: Merged, bound: number): number {
  const beside = tokensBesidePrompts(priceLists(merged), bound);
  return Math.max(bound * LEAST_QUOTES, bound * MOST_QUOTES - FIXED - beside);
}

/** Adds the steps that fit, the names in files, and the turns that have a step. */
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

/** The turns that hold one of these places, and the one under way; both are in order. */
function turnsWith(turns: readonly TurnState[], places: readonly Position[]): readonly TurnState[] {
  let next = 0;
  return turns.filter(({ position, to, outcome }) => {
    while ((places[next] ?? Infinity) < position) next += 1;
    return (places[next] ?? Infinity) <= to || outcome === UNDER_WAY;
  });
}

/** What is always there takes room too: as much less is offered to the rest, until all of it fits. */
function fitBound(within: (room: number) => Checkpoint, bound: number): Checkpoint {
  let room = bound;
  for (;;) {
    const checkpoint = within(room);
    const excess = checkpointTokens(checkpoint) - bound;
    if (excess <= 0 || room === 0) return checkpoint;
    room = Math.max(0, room - excess);
  }
}

/** A summary that holds no fields, as another program wrote it, is kept as it was said. */
function summaryOf({ range, checkpoint }: HistoryCompacted): Quote {
  return { position: range.to, text: checkpoint };
}

function addCounts(before: Checkpoint['counts'], found: ReadonlyMap<string, number>): Checkpoint['counts'] {
  const counts = new Map(Object.entries(before));
  for (const [kind, count] of found) counts.set(kind, (counts.get(kind) ?? 0) + count);
  return Object.fromEntries([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
