// Renders a checkpoint as text for the model: headings and one line per item, always in the same order.

import { estimateTokens, utf8Length } from '../base/estimate.ts';
import { renderCheckpoint } from '../base/render.ts';
import type { Checkpoint, Directive, ListName, Objective, Quote, CheckpointStep, TurnState } from './checkpoint.ts';
import { lineOf } from './excerpt.ts';
import { headingOfList, linesOf, quoteText, brokenLines } from './lines.ts';
import type { Position } from '@tidemark/log';
import { checkpointScale, scalingOf } from '../fold/model-tokens.ts';
import type { SpanSize } from '../base/estimate.ts';
import type { State } from '../state/state.ts';

/** Contents of `history.compacted` for the model. `renderCheckpoint` combines the text and the limitations. */
export interface CheckpointText {
  readonly text: string;
  readonly limitations: readonly string[];
}

/**
 * Maximum length of an excerpt in the objective section, in UTF-16 units. Short prompts are shown as excerpts. The
 * objective is shown as an excerpt if the directives also quote it.
 */
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

/** Returns the text and the limitations of a checkpoint. Equal checkpoints give equal bytes. */
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

/** Returns the estimated tokens of the text that the model reads for a checkpoint. */
export function checkpointTokens(checkpoint: Checkpoint): number {
  const { text, limitations } = checkpointText(checkpoint);
  return estimateTokens(renderCheckpoint(text, limitations, checkpoint.form).text);
}

function opening({ range }: Checkpoint): string {
  return `This checkpoint replaces the history from position ${range.from} to ${range.to}. Numbers in brackets are positions in the log.`;
}

/**
 * Renders the objective, which is a prompt of the user. If the directives also quote this prompt, only an excerpt is
 * shown here.
 */
function objectiveText({ position, text, since = [], now }: Objective, directives: readonly Directive[]): string {
  const short = since.map((one) => `\n- [${one.position}] later: ${lineOf(one.text, OBJECTIVE)}`).join('');
  const by = now === undefined ? '' : `\nCurrent objective (by a model): ${now}`;
  const below = directives.some((directive) => directive.position === position);
  const words = below ? ` ${lineOf(text, OBJECTIVE)}` : `\n${quoteText(text)}`;
  return `## Objective\n- [${position}]${words}${short}${by}`;
}

function summaryText({ position, text }: Quote): string {
  return `## Earlier summary, up to [${position}]\n${quoteText(text)}`;
}

function sectionText(list: ListName, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [[`## ${headingOfList(list)}`, ...lines].join('\n')];
}

const GOAL = 80;

/**
 * Returns the section of the steps: the model's texts and calls in order. Each call has its kept result lines. Returns
 * an empty list if there are no steps.
 */
function stepsText({
  steps,
  turns,
  directives,
}: Pick<Checkpoint, 'steps' | 'turns' | 'directives'>): readonly string[] {
  if (steps.length === 0) return [];
  const lines: string[] = ['## Steps'];
  let next = 0;
  let shown: TurnState | undefined;
  let result: Position | undefined;
  for (const step of steps) {
    while (next < turns.length - 1 && (turns[next]?.to ?? Infinity) < step.position) next += 1;
    const turn = turns[next];
    if (turn !== undefined && turn !== shown && holds(turn, step)) {
      lines.push(headingOfTurn(turn, directives));
      shown = turn;
    }
    if (step.kind === 'found')
      lines.push(...(step.position === result ? [] : [`- [${step.position}] returned`]), `  > ${step.text}`);
    else lines.push(stepLine(step));
    result = step.kind === 'found' ? step.position : undefined;
  }
  return [lines.join('\n')];
}

function holds({ position, to }: TurnState, step: CheckpointStep): boolean {
  return step.position >= position && step.position <= to;
}

function headingOfTurn({ position, to, outcome }: TurnState, directives: readonly Directive[]): string {
  const asked = directives.find((one) => one.position >= position && one.position <= to);
  return `### Turn ${position}-${to}, ${outcome}${asked === undefined ? '' : `: ${lineOf(asked.text, GOAL)}`}`;
}

function stepLine({ position, kind, text }: CheckpointStep): string {
  const [first = '', ...rest] = brokenLines(text);
  if (kind === 'did')
    return [`- [${position}] ${first}`, ...(rest.length === 0 ? [] : [quoteText(rest.join('\n'))])].join('\n');
  return rest.length === 0 ? `- [${position}] said: ${first}` : `- [${position}] said:\n${quoteText(text)}`;
}

/**
 * Size of a checkpoint before it is packed. Tokens are on the model's scale and not rounded. The fold scales the packed
 * checkpoint with the same function, `checkpointScale`.
 */
export interface CheckpointSize extends SpanSize {
  /** Ratio of the model's tokens to estimated tokens for this text. */
  readonly scale: number;
}

/** Returns the size of a checkpoint as if it already replaced the history that is packed now. */
export function checkpointSize(state: State, checkpoint: Checkpoint): CheckpointSize {
  const { text, limitations } = checkpointText(checkpoint);
  const rendered = renderCheckpoint(text, limitations, checkpoint.form).text;
  const scale = checkpointScale(state.history, scalingOf(state), rendered);
  return { tokens: estimateTokens(rendered) * scale, bytes: utf8Length(rendered), scale };
}
