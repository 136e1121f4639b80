// Writes the limitations that every checkpoint states. They say that the checkpoint is shortened, and which tools read
// the original records. They name the skills and instructions that are no longer in force. They give the number of
// omitted items with their positions in the log.

import type { Position } from '@tidemark/log';
import type { Checkpoint, LeftOut, ListName, ReadAgain } from './checkpoint.ts';
import { excerptOf, oneLine } from './excerpt.ts';

const MAX_NAMES = 12;

/**
 * Maximum number of limitations that a model may add. `MAX_REPORTED_LENGTH` is the maximum length of each, in UTF-16
 * units.
 */
const MAX_REPORTED = 5;

const MAX_REPORTED_LENGTH = 200;

const LISTS: { readonly [K in ListName | 'steps']: string } = {
  directives: 'prompts of the user',
  decisions: 'decisions',
  work: 'work done',
  filesChanged: 'changed files',
  filesRead: 'files read',
  commands: 'commands',
  tasks: 'open tasks',
  questions: 'open questions',
  risks: 'risks',
  subagents: 'subagents',
  instructions: 'instruction files to read again',
  skills: 'skills to load again',
  steps: 'texts and calls of the model',
};

/**
 * Returns the limitations of a checkpoint whose other fields are complete. `reported` contains limitations that the
 * assisting model named. `dropped` contains the positions of lines that a model wrote earlier and did not repeat.
 */
export function limitationsOf(
  checkpoint: Omit<Checkpoint, 'limitations'>,
  reported: readonly string[],
  dropped: readonly Position[],
): readonly string[] {
  const { range, strategy, skills, instructions } = checkpoint;
  return [
    'It is shortened: results and long inputs are reduced to selected lines and names. Events that it does not mention may still have happened.',
    `The log is complete: if you have these tools, history_read returns the record at a position from ${range.from} to ${range.to}, and history_search finds words in it.`,
    ...nameSkills('Skills that were loaded only in that range do not apply until you load them again', skills),
    ...nameSkills(
      'Instruction files that were read in that range must be read again before work in their folders',
      instructions,
    ),
    ...emptyLists(checkpoint),
    ...cutQuotes(checkpoint),
    ...leftOut(checkpoint),
    ...(strategy === 'model-assisted'
      ? ['Items marked "by a model" were written by a model and are not proven by the log.']
      : []),
    ...unrepeatedLines(dropped),
    ...byModel(reported),
  ];
}

function unrepeatedLines(dropped: readonly Position[]): readonly string[] {
  const where = addLeftOut(undefined, dropped, []);
  if (where === undefined) return [];
  return [
    `Omitted because the model did not repeat them: ${where.count} of its earlier lines, at ${spansInWords(where)}.`,
  ];
}

/**
 * Limits the number and the length of limitations named by a model, so they take no space from facts proven by the log.
 */
function byModel(reported: readonly string[]): readonly string[] {
  const lines = reported
    .slice(0, MAX_REPORTED)
    .map((line) => `The model that helped to write it reports: ${excerptOf(oneLine(line), MAX_REPORTED_LENGTH)}`);
  const more = reported.length - lines.length;
  return more === 0 ? lines : [...lines, `It reported ${more} more limitations, which are omitted.`];
}

function nameSkills(what: string, again: readonly ReadAgain[]): readonly string[] {
  if (again.length === 0) return [];
  const names = again.slice(-MAX_NAMES).map(({ name }) => oneLine(name));
  const more = again.length - names.length;
  return [`${what}: ${names.join(', ')}${more === 0 ? '' : ` and ${more} more`}.`];
}

/**
 * Returns one line if the list of decisions or the list of tasks is empty and nothing was omitted from it. An empty
 * list does not prove that there were no decisions or tasks. Otherwise returns no line.
 */
function emptyLists({ decisions, tasks, leftOut: gone }: Omit<Checkpoint, 'limitations'>): readonly string[] {
  const empty = [
    ...(decisions.length === 0 && gone.decisions === undefined ? ['decisions'] : []),
    ...(tasks.length === 0 && gone.tasks === undefined ? ['open tasks'] : []),
  ];
  return empty.length === 0
    ? []
    : [`No ${empty.join(' and no ')} are recorded in a plan; those that were only mentioned are in the log.`];
}

function cutQuotes({ objective, directives }: Omit<Checkpoint, 'limitations'>): readonly string[] {
  const quotes = [...(objective === undefined ? [] : [objective]), ...directives];
  const places = (cut: boolean): readonly Position[] =>
    quotes.flatMap(({ position, of }) => ((of !== undefined) === cut ? [position] : []));
  const where = addLeftOut(undefined, places(true), places(false));
  return where === undefined ? [] : [`Long prompts are shortened, and […] marks omitted text: ${spansInWords(where)}.`];
}

function leftOut({ leftOut: lists }: Omit<Checkpoint, 'limitations'>): readonly string[] {
  return Object.entries(LISTS).flatMap(([list, words]) => {
    const gone: LeftOut | undefined = isList(list) ? lists[list] : undefined;
    return gone === undefined
      ? []
      : [`Omitted to limit the size, of ${words}: ${gone.count}, at ${spansInWords(gone)}.`];
  });
}

function isList(name: string): name is ListName | 'steps' {
  return Object.hasOwn(LISTS, name);
}

// The next functions record the items that were omitted to fit a limit: their count and their ranges in the log. With
// this record, each later checkpoint can still name the ranges.

type PositionSpan = LeftOut['spans'][number];

/** Maximum number of separate ranges. If there are more, the ranges with the smallest gaps are joined. */
const MAX_RANGES = 12;

/**
 * Adds newly omitted positions to the positions that were omitted before. If there is no kept item between two
 * positions, they are in the same range. Returns `undefined` if nothing was ever omitted.
 */
export function addLeftOut(
  before: LeftOut | undefined,
  gone: readonly Position[],
  keptPositions: readonly Position[],
): LeftOut | undefined {
  if (before === undefined && gone.length === 0) return undefined;
  const spans = [...(before?.spans ?? []), ...gone.map((one): PositionSpan => [one, one])];
  return { count: (before?.count ?? 0) + gone.length, spans: joinNear(joinStretches(spans, keptPositions)) };
}

function spansInWords({ spans }: LeftOut): string {
  return spans.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(', ');
}

function joinStretches(spans: readonly PositionSpan[], keptPositions: readonly Position[]): readonly PositionSpan[] {
  const joined: PositionSpan[] = [];
  const places = keptPositions.toSorted((a, b) => a - b);
  let next = 0;
  for (const span of spans.toSorted((a, b) => a[0] - b[0])) {
    const last = joined.at(-1);
    const end = last?.[1] ?? -1;
    while ((places[next] ?? Infinity) <= end) next += 1;
    if (last === undefined || (places[next] ?? Infinity) < span[0]) joined.push(span);
    else joined[joined.length - 1] = [last[0], span[1] > last[1] ? span[1] : last[1]];
  }
  return joined;
}

function joinNear(spans: readonly PositionSpan[]): readonly PositionSpan[] {
  if (spans.length <= MAX_RANGES) return spans;
  const gaps = spans.slice(1).map((span, index) => ({ index, width: span[0] - (spans[index]?.[1] ?? span[0]) }));
  const keptPositions = new Set(
    gaps
      .toSorted((a, b) => b.width - a.width || a.index - b.index)
      .slice(0, MAX_RANGES - 1)
      .map(({ index }) => index),
  );
  const joined: PositionSpan[] = [];
  for (const [index, span] of spans.entries()) {
    const last = joined.at(-1);
    if (last === undefined || keptPositions.has(index - 1)) joined.push(span);
    else joined[joined.length - 1] = [last[0], span[1]];
  }
  return joined;
}
