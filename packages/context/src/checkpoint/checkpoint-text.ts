// A checkpoint as text for the model: headings, one line for each thing, always in this order.

import { estimateTokens } from '../base/estimate.ts';
import { renderCheckpoint } from '../base/render.ts';
import type { Checkpoint, Directive, ListName, Objective, Quote } from './checkpoint.ts';
import { lineOf } from './excerpt.ts';
import { headingOfList, linesOf, quoted } from './lines.ts';
import { stepsText } from './steps-text.ts';

/** What `history.compacted` holds for the model: `renderCheckpoint` puts the two together. */
export interface CheckpointText {
  readonly text: string;
  readonly limitations: readonly string[];
}

/** Of an objective that is quoted whole below, in UTF-16 units. */
const OBJECTIVE = 200;

const FACTS: readonly ListName[] = [
  'decisions',
  'tasks',
  'questions',
  'risks',
  'work',
  'filesChanged',
  'filesRead',
  'commands',
  'subagents',
];
const READ_AGAIN: readonly ListName[] = ['instructions', 'skills'];

/** The text of a checkpoint, and its limitations. The same checkpoint, the same bytes. */
export function checkpointText(checkpoint: Checkpoint): CheckpointText {
  const lines = linesOf(checkpoint);
  const sections = [
    opening(checkpoint),
    ...(checkpoint.objective === undefined ? [] : [objectiveText(checkpoint.objective, checkpoint.directives)]),
    ...sectionText('directives', lines.directives),
    ...(checkpoint.summary === undefined ? [] : [summaryText(checkpoint.summary)]),
    ...FACTS.flatMap((list) => sectionText(list, lines[list])),
    ...stepsText(checkpoint),
    ...READ_AGAIN.flatMap((list) => sectionText(list, lines[list])),
  ];
  return { text: sections.join('\n\n'), limitations: checkpoint.limitations };
}

/** Estimated tokens of a checkpoint as the model reads it. */
export function checkpointTokens(checkpoint: Checkpoint): number {
  const { text, limitations } = checkpointText(checkpoint);
  return estimateTokens(renderCheckpoint(text, limitations, checkpoint.form).text);
}

function opening({ range }: Checkpoint): string {
  return `This stands for the history from position ${range.from} to ${range.to}. Numbers in brackets are positions in the log.`;
}

/** A prompt that is quoted among the others is named here by its beginning, so that they are read in their order. */
function objectiveText({ position, text, since = [], now }: Objective, directives: readonly Directive[]): string {
  const short = since.map((one) => `\n- [${one.position}] and then: ${lineOf(one.text, OBJECTIVE)}`).join('');
  const by = now === undefined ? '' : `\nNow, by a model: ${now}`;
  const below = directives.some((said) => said.position === position);
  const words = below ? ` ${lineOf(text, OBJECTIVE)}` : `\n${quoted(text)}`;
  return `## Objective\n- [${position}]${words}${short}${by}`;
}

function summaryText({ position, text }: Quote): string {
  return `## An earlier summary, up to [${position}]\n${quoted(text)}`;
}

function sectionText(list: ListName, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [[`## ${headingOfList(list)}`, ...lines].join('\n')];
}
