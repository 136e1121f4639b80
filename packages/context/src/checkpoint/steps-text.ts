// The steps of the turns as text: what the model said and did in order, and under it the lines of results that were kept.

import type { Position } from '@tidemark/log';
import type { Checkpoint, Directive, CheckpointStep, TurnState } from './checkpoint.ts';
import { lineOf } from './excerpt.ts';
import { brokenLines, quoted } from './lines.ts';

const GOAL = 80;

/** The section of the steps; empty where none is kept. */
export function stepsText({
  steps,
  turns,
  directives,
}: Pick<Checkpoint, 'steps' | 'turns' | 'directives'>): readonly string[] {
  if (steps.length === 0) return [];
  const lines: string[] = ['## What was done'];
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

/** A step with its text as a quotation where it has more than one line. */
function stepLine({ position, kind, text }: CheckpointStep): string {
  const [first = '', ...rest] = brokenLines(text);
  if (kind === 'did')
    return [`- [${position}] ${first}`, ...(rest.length === 0 ? [] : [quoted(rest.join('\n'))])].join('\n');
  return rest.length === 0 ? `- [${position}] said: ${first}` : `- [${position}] said:\n${quoted(text)}`;
}
