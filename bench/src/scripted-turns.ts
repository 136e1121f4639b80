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
  /** Milliseconds that pass before each turn, in turns. Default: what a user takes. */
  readonly pauses?: readonly number[];
  /** Calls to the model, counted from 0, that load a skill instead of what they do else. */
  readonly skills?: readonly number[];
  /** How many tools there are beside the usual ones from this turn on. */
  readonly extraTools?: readonly { readonly turn: number; readonly tools: number }[];
  /** Whether the agent has a tool that reads its log again, as the usual tools of a workspace do. */
  readonly readsBack?: true;
  /** Subagents behind each turn but the last: calls beside the conversation, all at once, which hold it whole. */
  readonly subagents?: number;
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

const MINUTE = 60_000;

/** Sessions in which something happens that others are billed for. */
export const EVENTFUL: readonly Script[] = [
  { name: 'skills', turns: [TOOL_TURN.slice(0, 12), TOOL_TURN.slice(12, 24)], skills: [0, 4, 14] },
  {
    name: 'tools-changed',
    turns: [TOOL_TURN.slice(0, 19), TOOL_TURN.slice(19, 29), TOOL_TURN.slice(29)],
    extraTools: [
      { turn: 1, tools: 3 },
      { turn: 2, tools: 0 },
    ],
  },
  {
    name: 'fan-out',
    turns: Array.from({ length: 6 }, (_, turn) => TOOL_TURN.slice(4 * turn, 4 * turn + 4)),
    subagents: 5,
  },
];

/**
 * Sessions with what a user has who sets nothing: one that fills a window of 200,000 tokens, one that goes on three times as
 * far, and one in which there is nothing to shorten.
 */
export const WINDOWS: readonly Script[] = [
  { name: 'one window', turns: [TOOL_TURN] },
  { name: 'three windows', turns: [TOOL_TURN, TOOL_TURN, TOOL_TURN] },
  ...SCRIPTS.filter(({ name }) => name === 'wide'),
].map((script) => ({ ...script, readsBack: true }));

/** 20 turns of six calls. Half of the pauses between them exceed five minutes, in no order: 20 s to 28 min. */
export const PAUSES: Script = {
  name: 'pauses',
  turns: Array.from({ length: 20 }, (_, turn) =>
    drawSteps(5, turn, [1, 2], (random) => Math.round(200 * 20 ** random)),
  ),
  pauses: drawPauses(20, 3),
};

function drawPauses(count: number, seed: number): readonly number[] {
  const random = randomNumbers(seed);
  const long = Array.from({ length: count }, (_, index) => index % 2 === 1)
    .map((one) => ({ one, place: random() }))
    .toSorted((a, b) => a.place - b.place);
  return long.map(({ one }) => Math.round(one ? (6 + 22 * random()) * MINUTE : (20 + 220 * random()) * 1_000));
}

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
