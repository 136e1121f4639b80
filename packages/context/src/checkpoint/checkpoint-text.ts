// A checkpoint as text for the model: headings, one line for each thing, always in this order.

import type { Position } from '@tidemark/log';
import { estimateTokens } from '../estimate.ts';
import { renderCheckpoint } from '../render.ts';
import type { Checkpoint, CheckpointItems, CheckpointLists, Directive, ListName, Objective } from './checkpoint.ts';
import { itemInWords, quoted, sectionOf } from './lines.ts';

/** What `history.compacted` holds for the model: `renderCheckpoint` puts the two together. */
export interface CheckpointText {
  readonly text: string;
  readonly limitations: readonly string[];
}

const BEHIND_OBJECTIVE: readonly ListName[] = [
  'directives',
  'decisions',
  'tasks',
  'questions',
  'risks',
  'work',
  'filesChanged',
  'filesRead',
  'commands',
  'subagents',
  'instructions',
  'skills',
];

/** The text of a checkpoint, and its limitations. The same checkpoint, the same bytes. */
export function checkpointText(checkpoint: Checkpoint): CheckpointText {
  const sections = [
    opening(checkpoint),
    ...(checkpoint.objective === undefined ? [] : [objectiveText(checkpoint.objective)]),
    ...BEHIND_OBJECTIVE.flatMap((list) => sectionText(checkpoint, list)),
  ];
  return { text: sections.join('\n\n'), limitations: checkpoint.limitations };
}

/** Estimated tokens of a checkpoint as the model reads it. */
export function checkpointTokens(checkpoint: Checkpoint): number {
  const { text, limitations } = checkpointText(checkpoint);
  return estimateTokens(renderCheckpoint(text, limitations).text);
}

function opening({ range, counts }: Checkpoint): string {
  const kinds = Object.entries(counts)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, count]) => `${kind} ${count}`);
  return [
    `The history from position ${range.from} to ${range.to}, in short. Numbers in brackets are positions in the log.`,
    `It held: ${kinds.join(', ') || 'nothing'}.`,
  ].join('\n');
}

function objectiveText({ position, text, now }: Objective): string {
  const since = now === undefined ? '' : `\nNow, by a model: ${now}`;
  return `## Objective\n- [${position}]\n${quoted(text)}${since}`;
}

function sectionText(checkpoint: Checkpoint, list: ListName): readonly string[] {
  const { heading, none } = sectionOf(list);
  const lines = linesOf(checkpoint, list);
  if (lines.length > 0) return [[`## ${heading}`, ...lines].join('\n')];
  return none === undefined ? [] : [`## ${heading}\n${none}`];
}

function linesOf<K extends ListName>(checkpoint: Checkpoint, list: K): readonly string[] {
  if (list === 'directives') return directiveLines(checkpoint);
  const lists: CheckpointLists = checkpoint;
  const items: readonly CheckpointItems[K][] = lists[list];
  return items.map((item) => itemInWords(list, item));
}

/** The objective is a prompt too: it is quoted once. */
function directiveLines({ directives, objective }: Checkpoint): readonly string[] {
  const twice = ({ position, text }: Directive): boolean => position === objective?.position && text === objective.text;
  return directives.map((said) => (twice(said) ? seeObjective(said.position) : itemInWords('directives', said)));
}

function seeObjective(position: Position): string {
  return `- [${position}] is the objective above.`;
}
