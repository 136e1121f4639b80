// Scripts of the scripted sessions: prompts, the sizes of the results in each step, and the stops of the process.

import type { EffectClass } from '@tidemark/log';

import { randomNumbers } from './made-text.ts';

/** One step of a model: the bytes of each result of its calls. A step without results is the last one of its turn. */
export type ScriptedStep = readonly number[];

/** Stop of the process. Another process then opens the session and resumes it. */
export interface Stop {
  /**
   * Kind of stop. `close`: the process closes its session before it ends. `loss`: the process is lost without warning,
   * and only the log is left.
   */
  readonly by: 'close' | 'loss';
  /** First call to the model at which the process can stop, counted from 0. */
  readonly call: number;
  /** Moment of the stop: while a tool of this effect class runs, or after the provider has begun to answer. */
  readonly during: EffectClass | 'answer';
}

/** Script of a session, which `driveScript` runs. */
export interface Script {
  readonly name: string;
  /** Steps of each turn, without its last step, which is only text. */
  readonly turns: readonly (readonly ScriptedStep[])[];
  /**
   * True if a run of calls or results counts as one position of the provider's cache lookback. Default: the value in
   * the model's row.
   */
  readonly collapse?: boolean;
  /** Stops of the process, in the order of their calls. */
  readonly stops?: readonly Stop[];
  /** Milliseconds before each turn, in the order of the turns. Default: the usual pause of a user. */
  readonly pauses?: readonly number[];
  /** Calls to the model, counted from 0, that load a skill instead of their usual first call. */
  readonly skills?: readonly number[];
  /** Number of additional tools, each from a given turn on. */
  readonly extraTools?: readonly { readonly turn: number; readonly tools: number }[];
  /** True if the agent has a tool that reads the history back, as the usual workspace tools include. */
  readonly readsBack?: true;
  /**
   * Number of subagents after each turn except the last. They are concurrent side calls that contain the whole
   * conversation.
   */
  readonly subagents?: number;
}

/** Turn of 40 calls: up to three tools at a time, with results of 200 B to 60 KB, half of them below 2 KB. */
const TOOL_TURN: readonly ScriptedStep[] = drawSteps(39, 1, [1, 3], resultBytes);

/** Plain scripts: tools, chat, many parallel calls, and stops of the process. */
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

/** Scripts with events that are often expensive in other agents: loaded skills, changed tools and subagents. */
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
 * Scripts for default settings: one session that fills a window of 200,000 tokens, one that is three times as long, and
 * one with nothing to shorten.
 */
export const WINDOWS: readonly Script[] = [
  { name: 'one window', turns: [TOOL_TURN] },
  { name: 'three windows', turns: [TOOL_TURN, TOOL_TURN, TOOL_TURN] },
  ...SCRIPTS.filter(({ name }) => name === 'wide'),
].map((script) => ({ ...script, readsBack: true }));

/**
 * Script of 20 turns with six calls each. The pauses between the turns are from 20 s to 28 min, in random order, and
 * half of them exceed five minutes.
 */
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

/** Returns the size of a result: 200 B to 60 KB, with many small and few large results. */
function resultBytes(random: number): number {
  return Math.round(200 * 300 ** (random ** 1.4));
}
