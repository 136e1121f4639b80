// What is counted of a turn while its records are read: the line that a checkpoint holds of it.

import type { Position } from '@tidemark/log';
import { lineOf } from './excerpt.ts';

/** A turn so far. */
export interface TurnNotes {
  /** Where it started; `undefined` where that lies before what is read. */
  readonly from: Position | undefined;
  readonly tools: ReadonlyMap<string, { readonly calls: number; readonly failed: number }>;
  /** What the agent said last. */
  readonly said: string;
}

const SAID = 300;

/** A turn of which nothing was read yet. */
export function beginNotes(from: Position | undefined): TurnNotes {
  return { from, tools: new Map(), said: '' };
}

/** One more call that closed. */
export function noteCall(turn: TurnNotes, name: string, returned: boolean): TurnNotes {
  const { calls, failed } = turn.tools.get(name) ?? { calls: 0, failed: 0 };
  const next = { calls: calls + 1, failed: failed + (returned ? 0 : 1) };
  return { ...turn, tools: new Map(turn.tools).set(name, next) };
}

/** The turn in a line; `undefined` where it did and said nothing. */
export function turnInWords({ from, tools, said }: TurnNotes, to: Position, outcome: string): string | undefined {
  if (tools.size === 0 && said === '') return undefined;
  const calls = [...tools].map(
    ([name, { calls: count, failed }]) => `${name} ${count}${failed === 0 ? '' : ` (${failed} without success)`}`,
  );
  const where = from === undefined ? `up to ${to}` : `${from}-${to}`;
  const did = calls.length === 0 ? 'no calls' : calls.join(', ');
  return `Turn ${where} ${outcome}: ${did}.${said === '' ? '' : ` Its last words: "${lineOf(said, SAID)}"`}`;
}
