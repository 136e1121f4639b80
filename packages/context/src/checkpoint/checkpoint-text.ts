// A checkpoint as text for the model: headings, one line for each thing, always in this order.

import { estimateTokens } from '../estimate.ts';
import { renderCheckpoint } from '../render.ts';
import type { Checkpoint, Directive, ListName, Objective } from './checkpoint.ts';
import { linesOf, quoted, sectionOf } from './lines.ts';

/** What `history.compacted` holds for the model: `renderCheckpoint` puts the two together. */
export interface CheckpointText {
  readonly text: string;
  readonly limitations: readonly string[];
}

const BEHIND_DIRECTIVES: readonly ListName[] = [
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
  const lines = linesOf(checkpoint);
  const sections = [
    opening(checkpoint),
    ...(checkpoint.objective === undefined ? [] : [objectiveText(checkpoint.objective)]),
    ...sectionText('directives', directiveLines(checkpoint, lines.directives)),
    ...BEHIND_DIRECTIVES.flatMap((list) => sectionText(list, lines[list])),
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

function sectionText(list: ListName, lines: readonly string[]): readonly string[] {
  const { heading, none } = sectionOf(list);
  if (lines.length > 0) return [[`## ${heading}`, ...lines].join('\n')];
  return none === undefined ? [] : [`## ${heading}\n${none}`];
}

/** The objective is a prompt too: it is quoted once. */
function directiveLines({ directives, objective }: Checkpoint, lines: readonly string[]): readonly string[] {
  const twice = ({ position, text }: Directive): boolean => position === objective?.position && text === objective.text;
  return lines.map((line, index) => {
    const said = directives[index];
    return said !== undefined && twice(said) ? `- [${said.position}] is the objective above.` : line;
  });
}
