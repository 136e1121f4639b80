// Makes a checkpoint from the records that it will stand for. Pure: the same records, the same bytes.

import type { HistoryCompacted, Range, Recorded } from '@tidemark/log';
import type { Checkpoint, Work } from './checkpoint.ts';
import { checkpointTokens } from './checkpoint-text.ts';
import { excerptOf, oneLine } from './excerpt.ts';
import { fitLists, priceLists } from './fit.ts';
import { gather } from './gather.ts';
import { limitationsOf } from './limitations.ts';
import { mergeFields } from './merge.ts';
import { placeAdds } from './model-adds.ts';
import type { ModelFields } from './model-fields.ts';
import { readCheckpoint } from './read-checkpoint.ts';
import { shorten } from './shorten.ts';

/** Of a summary that holds no fields, in UTF-16 units. */
const SUMMARY = 4_000;

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
  /** What a model adds: it takes nothing away. */
  readonly fromModel?: ModelFields;
}

/**
 * The checkpoint of a range: what the one before it carried, what the new records hold, and what a model adds, within the
 * bound. What does not fit is named in the limitations, with its place in the log, and stays named in those that follow.
 */
export function makeCheckpoint(input: CheckpointInput): Checkpoint {
  const { range, bound, previous, fromModel } = input;
  const before = previous && readCheckpoint(previous);
  const found = gather(input.records, before?.range.to ?? range.from - 1, range.to);
  const told = before === undefined && previous !== undefined ? [summaryBefore(previous)] : [];
  const merged = mergeFields(
    before,
    { ...found, work: [...told, ...found.work] },
    fromModel && placeAdds(fromModel, range),
    {
      skills: new Set(input.skillsInTail),
      files: new Set(input.filesInTail),
      prompts: new Set(input.keptPrompts),
    },
  );
  const { objective, ...lists } = shorten(merged, bound);
  const base = {
    form: 'checkpoint/1',
    strategy: fromModel === undefined ? 'deterministic' : 'model-assisted',
    range,
    counts: addCounts(before?.counts ?? {}, found.counts),
    ...(objective && { objective }),
  } as const;
  const priced = priceLists(lists);
  const within = (room: number): Checkpoint => {
    const fitted = fitLists(priced, room, before?.leftOut ?? {});
    const whole = { ...base, ...fitted.lists, leftOut: fitted.leftOut };
    return { ...whole, limitations: limitationsOf(whole, fromModel?.limitations ?? []) };
  };
  return tightened(within, bound);
}

/** What is always there takes room too: as much less is offered to the rest, until all of it fits. */
function tightened(within: (room: number) => Checkpoint, bound: number): Checkpoint {
  let room = bound;
  for (;;) {
    const checkpoint = within(room);
    const excess = checkpointTokens(checkpoint) - bound;
    if (excess <= 0 || room === 0) return checkpoint;
    room = Math.max(0, room - excess);
  }
}

/** A summary that holds no fields, as another program wrote it, is kept as a thing that was said. */
function summaryBefore({ range, checkpoint }: HistoryCompacted): Work {
  return { position: range.to, what: excerptOf(oneLine(`An earlier summary said: ${checkpoint}`), SUMMARY) };
}

function addCounts(before: Checkpoint['counts'], found: ReadonlyMap<string, number>): Checkpoint['counts'] {
  const counts = new Map(Object.entries(before));
  for (const [kind, count] of found) counts.set(kind, (counts.get(kind) ?? 0) + count);
  return Object.fromEntries([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
