// Sessions as their cache sees them: how long each call came after the one before, and how much it sent. Made by kinds of
// day, the same in every run.

import { randomNumbers } from './made-text.ts';

/** One call of a stream. */
export interface Step {
  /** Milliseconds since the call before it on its stream. */
  readonly gap: number;
  /** Input tokens, all of which are cached. */
  readonly tokens: number;
  /** Of these, the first that the call before had sent: what could be read, if it lived. */
  readonly kept: number;
}

/** Sessions and subagents of one kind of day. */
export interface Day {
  readonly name: string;
  readonly streams: readonly (readonly Step[])[];
}

const SECOND = 1_000;
const MINUTE = 60_000;

/** Tokens of tools and system text. */
const FRONT = 9_000;

/** Tokens at which a session is compacted, and what is left. */
const FULL = 160_000;
const CHECKPOINT = 12_000;

interface Maker {
  readonly steps: Step[];
  readonly random: () => number;
}

/** Calls close together, as a model and its tools make them. */
function work({ steps, random }: Maker, calls: number, pause: number): void {
  for (let call = 0; call < calls; call += 1) {
    const before = steps.at(-1)?.tokens ?? 0;
    const gap = call === 0 ? pause : between(random, 3 * SECOND, 70 * SECOND);
    const packed = before > FULL;
    const kept = packed ? FRONT : before;
    const fresh = (before === 0 ? FRONT : packed ? CHECKPOINT : 0) + between(random, 100, 2_500);
    steps.push({ gap, tokens: kept + fresh, kept });
  }
}

/** Short ones more often than long ones, as pauses are. */
function between(random: () => number, least: number, most: number): number {
  return Math.round(least * (most / least) ** random());
}

type Plan = (maker: Maker) => void;

/** One task, done without a pause. */
const burst: Plan = (maker) => work(maker, 20 + Math.floor(maker.random() * 60), 0);

/** Somebody reads each answer, for between half a minute and half an hour. */
const conversation: Plan = (maker) => {
  for (let turn = 0; turn < 25; turn += 1)
    work(maker, between(maker.random, 2, 12), between(maker.random, 30 * SECOND, 30 * MINUTE));
};

/** Work in the morning, lunch, work in the afternoon; meetings in between. */
const lunch: Plan = (maker) => {
  for (const pause of [0, 8, 2, 25, 1, 45, 3, 12, 1, 35, 2])
    work(maker, between(maker.random, 8, 30), pause * MINUTE * (0.7 + 0.6 * maker.random()));
};

/** A task now and then, over days: half an hour's work, then hours or a night. */
const overnight: Plan = (maker) => {
  for (let sitting = 0; sitting < 6; sitting += 1) {
    work(maker, between(maker.random, 10, 40), between(maker.random, 90 * MINUTE, 16 * 60 * MINUTE));
    work(maker, between(maker.random, 3, 10), between(maker.random, MINUTE, 4 * MINUTE));
  }
};

/** A subagent's: a few calls, then never again. */
const subagent: Plan = (maker) => work(maker, between(maker.random, 3, 25), 0);

/** Whoever sends subagents out and waits for them. */
const waiting: Plan = (maker) => {
  for (let round = 0; round < 6; round += 1)
    work(maker, between(maker.random, 3, 8), between(maker.random, 2 * MINUTE, 12 * MINUTE));
};

const DAYS: readonly (readonly [name: string, streams: readonly Plan[]])[] = [
  ['bursts', Array.from({ length: 12 }, () => burst)],
  ['conversations', Array.from({ length: 6 }, () => conversation)],
  ['lunch breaks', Array.from({ length: 6 }, () => lunch)],
  ['overnight', Array.from({ length: 6 }, () => overnight)],
  ['subagents', Array.from({ length: 3 }, () => [waiting, ...Array.from({ length: 12 }, () => subagent)]).flat()],
];

/** All kinds of day. */
export function pauseSequences(seed: number): readonly Day[] {
  const random = randomNumbers(seed);
  return DAYS.map(([name, plans]) => ({ name, streams: plans.map((plan) => made(plan, random)) }));
}

function made(plan: Plan, random: () => number): readonly Step[] {
  const steps: Step[] = [];
  plan({ steps, random });
  return steps;
}
