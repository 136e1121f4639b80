// Writes the limitations that every checkpoint states: that the checkpoint is shortened, how to read the original
// records, which skills and instructions are no longer in force, and how much was cut at which positions of the log.

import type { Position } from '@tidemark/log';
import type { Checkpoint, LeftOut, ListName, ReadAgain } from './checkpoint.ts';
import { excerptOf, oneLine } from './excerpt.ts';

const MOST_NAMED = 12;

/** Maximum number of limitations that a model may add. `TOLD` is the maximum length of each, in UTF-16 units. */
const MOST_TOLD = 5;

const TOLD = 200;

const LISTS: { readonly [K in ListName | 'steps']: string } = {
  directives: 'what the user said',
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
  steps: 'words and calls of the model',
};

/**
 * Returns the limitations of a checkpoint whose other fields are complete. `told` contains limitations that the
 * assisting model named. `dropped` contains the positions of lines that a model wrote earlier and did not repeat.
 */
export function limitationsOf(
  checkpoint: Omit<Checkpoint, 'limitations'>,
  told: readonly string[],
  dropped: readonly Position[],
): readonly string[] {
  const { range, strategy, skills, instructions } = checkpoint;
  return [
    'It is shortened: of results and long inputs it holds chosen lines and names only. What it does not say may still have happened.',
    `The log is whole: history_read returns what stands at a position from ${range.from} to ${range.to}, and history_search finds words in it, where you have these tools.`,
    ...nameSkills(
      'Skills that were loaded in that range alone are no longer in force until they are loaded again',
      skills,
    ),
    ...nameSkills(
      'Instruction files that were read in that range are to be read again before work under them',
      instructions,
    ),
    ...emptyLists(checkpoint),
    ...cutQuotes(checkpoint),
    ...leftOut(checkpoint),
    ...(strategy === 'model-assisted'
      ? ['What is marked as by a model was written by one, and proven by nothing.']
      : []),
    ...unrepeatedLines(dropped),
    ...byModel(told),
  ];
}

function unrepeatedLines(dropped: readonly Position[]): readonly string[] {
  const where = addLeftOut(undefined, dropped, []);
  if (where === undefined) return [];
  const lines = where.count === 1 ? '1 line was' : `${where.count} lines were`;
  return [`Of what a model wrote before, ${lines} not repeated and left out, at ${spansInWords(where)}.`];
}

/**
 * Returns the limitations named by a model. Their number and length are limited, so they take no space from facts
 * proven by the log.
 */
function byModel(told: readonly string[]): readonly string[] {
  const said = told
    .slice(0, MOST_TOLD)
    .map((line) => `The model that helped to write it says: ${excerptOf(oneLine(line), TOLD)}`);
  const more = told.length - said.length;
  return more === 0 ? said : [...said, `It named ${more} more limitations, which are left out.`];
}

function nameSkills(what: string, again: readonly ReadAgain[]): readonly string[] {
  if (again.length === 0) return [];
  const names = again.slice(-MOST_NAMED).map(({ name }) => oneLine(name));
  const more = again.length - names.length;
  return [`${what}: ${names.join(', ')}${more === 0 ? '' : ` and ${more} more`}.`];
}

/**
 * Returns a line that names the empty ones among the lists of decisions and tasks, because an empty list does not prove
 * that there were no decisions or tasks. Returns no line if neither list is empty.
 */
function emptyLists({ decisions, tasks, leftOut: gone }: Omit<Checkpoint, 'limitations'>): readonly string[] {
  const empty = [
    ...(decisions.length === 0 && gone.decisions === undefined ? ['decisions'] : []),
    ...(tasks.length === 0 && gone.tasks === undefined ? ['open tasks'] : []),
  ];
  return empty.length === 0
    ? []
    : [`No ${empty.join(' and no ')} are recorded by a plan; what was only said is in the log.`];
}

function cutQuotes({ objective, directives }: Omit<Checkpoint, 'limitations'>): readonly string[] {
  const quotes = [...(objective === undefined ? [] : [objective]), ...directives];
  const places = (cut: boolean): readonly Position[] =>
    quotes.flatMap(({ position, of }) => ((of !== undefined) === cut ? [position] : []));
  const where = addLeftOut(undefined, places(true), places(false));
  return where === undefined
    ? []
    : [`Long prompts are shortened, with […] where words are missing: ${spansInWords(where)}.`];
}

function leftOut({ leftOut: lists }: Omit<Checkpoint, 'limitations'>): readonly string[] {
  return Object.entries(LISTS).flatMap(([list, words]) => {
    const gone: LeftOut | undefined = isList(list) ? lists[list] : undefined;
    return gone === undefined ? [] : [`Left out for its bound, of ${words}: ${gone.count}, at ${spansInWords(gone)}.`];
  });
}

function isList(name: string): name is ListName | 'steps' {
  return Object.hasOwn(LISTS, name);
}

// Record of items omitted to fit a limit: their count and their ranges in the log. Each later checkpoint can therefore
// still name them.

type PositionSpan = LeftOut['spans'][number];

/** Maximum number of separate ranges. If there are more, the ranges with the smallest gaps are joined. */
const MOST_SPANS = 12;

/**
 * Adds newly omitted positions to those omitted before. Positions with no kept item between them form one range.
 * Returns `undefined` if nothing was ever omitted.
 */
export function addLeftOut(
  before: LeftOut | undefined,
  gone: readonly Position[],
  kept: readonly Position[],
): LeftOut | undefined {
  if (before === undefined && gone.length === 0) return undefined;
  const spans = [...(before?.spans ?? []), ...gone.map((one): PositionSpan => [one, one])];
  return { count: (before?.count ?? 0) + gone.length, spans: joinNear(joinStretches(spans, kept)) };
}

/** Returns the ranges as text: `3, 8-12`. */
function spansInWords({ spans }: LeftOut): string {
  return spans.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(', ');
}

function joinStretches(spans: readonly PositionSpan[], kept: readonly Position[]): readonly PositionSpan[] {
  const joined: PositionSpan[] = [];
  const places = kept.toSorted((a, b) => a - b);
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

/** Joins ranges across the narrowest gaps until at most `MOST_SPANS` remain. */
function joinNear(spans: readonly PositionSpan[]): readonly PositionSpan[] {
  if (spans.length <= MOST_SPANS) return spans;
  const gaps = spans.slice(1).map((span, index) => ({ index, width: span[0] - (spans[index]?.[1] ?? span[0]) }));
  const kept = new Set(
    gaps
      .toSorted((a, b) => b.width - a.width || a.index - b.index)
      .slice(0, MOST_SPANS - 1)
      .map(({ index }) => index),
  );
  const joined: PositionSpan[] = [];
  for (const [index, span] of spans.entries()) {
    const last = joined.at(-1);
    if (last === undefined || kept.has(index - 1)) joined.push(span);
    else joined[joined.length - 1] = [last[0], span[1]];
  }
  return joined;
}
