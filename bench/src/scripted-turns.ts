// What happens in the scripted sessions: prompts, the results of the calls that each step makes, and how the process ends on
// the way.

import type { EffectClass } from '@tidemark/log';

import { randomNumbers } from './made-text.ts';

/** One step of a model: the bytes of each result of its calls. None makes it the last of its turn. */
export type ScriptedStep = readonly number[];

/** The process ends, and another one opens the session and resumes. */
export interface Stop {
  /** `close`: it ends in order. `loss`: all that it holds is gone but the log, and nobody knew. */
  readonly by: 'close' | 'loss';
  /** From this call to the model on, counted from 0. */
  readonly call: number;
  /** While a tool of this class runs, or once the provider has begun to answer. */
  readonly during: EffectClass | 'answer';
}

/** A session to be driven. */
export interface Script {
  readonly name: string;
  /** The steps of each turn but its last, which only speaks. */
  readonly turns: readonly (readonly ScriptedStep[])[];
  /** Whether a run of calls or results is one position of the lookback; by the model's row where absent. */
  readonly collapse?: boolean;
  /** In the order of their calls. */
  readonly stops?: readonly Stop[];
}

/** 40 calls: up to three tools at a time, results of 200 B to 60 KB, half of them below 2 KB. */
const TOOL_TURN: readonly ScriptedStep[] = drawSteps(39, 1, [1, 3], resultBytes);

/** The scripted sessions. */
export const SCRIPTS: readonly Script[] = [
  { name: 'tools', turns: [TOOL_TURN] },
  { name: 'chat', turns: Array.from({ length: 120 }, () => []) },
  { name: 'wide', turns: [drawSteps(24, 2, [10, 26], () => 400)], collapse: false },
  { name: 'wide-collapsed', turns: [drawSteps(24, 2, [10, 26], () => 400)], collapse: true },
  { name: 'restart', turns: [TOOL_TURN], stops: [{ by: 'close', call: 20, during: 'read' }] },
  {
    name: 'kill',
    turns: [TOOL_TURN],
    stops: [
      { by: 'loss', call: 10, during: 'read' },
      { by: 'loss', call: 20, during: 'write' },
      { by: 'loss', call: 30, during: 'answer' },
    ],
  },
];

function drawSteps(
  steps: number,
  seed: number,
  [least, most]: readonly [number, number],
  bytes: (random: number) => number,
): readonly ScriptedStep[] {
  const random = randomNumbers(seed);
  return Array.from({ length: steps }, () => {
    const calls = least + Math.floor(random() * (most - least + 1));
    return Array.from({ length: calls }, () => bytes(random()));
  });
}

/** Many small ones, few large ones: 200 B to 60 KB. */
function resultBytes(random: number): number {
  return Math.round(200 * 300 ** (random ** 1.4));
}
