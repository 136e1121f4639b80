// Fits the margin of `chooseLifetime`. Each session is played with both fixed TTLs, with the shipped margin, and with
// the margin fitted on the other sessions (leave one out).

import { ratesOf } from '@tidemark/context';

import type { Charged, Played } from './lives-played.ts';
import { play, playChosen } from './lives-played.ts';
import type { PausedSession } from './recorded-pauses.ts';

/** Maximum cost of the chosen TTLs, as a ratio to the better fixed TTL. */
export const LIMIT = 1.02;

/** Margins that the fit tries, in rewrites. With `Infinity`, the one-hour TTL is never chosen. */
const MARGINS: readonly number[] = [0, 0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.6, 1.8, 2, Infinity];

/** One session of the table. Costs are in units of the base input price. */
export interface FittedSession {
  readonly name: string;
  readonly played: Played;
  /** Cost if every new token is written once with the short TTL and every old token is read. */
  readonly ideal: number;
  readonly billed?: number;
  /** `margin`: number of rewrites, fitted on all other sessions. `cost`: cost of this session with that margin. */
  readonly leftOut: { readonly margin: number; readonly cost: number };
}

/** Returns the cost of the chosen TTLs divided by the cost of the better fixed TTL. */
export function overFixed({ '5m': short, '1h': long }: Played, cost: number): number {
  return cost / Math.min(short, long);
}

/**
 * Returns the table, with one row for each session. `fade` is the factor by which each new pause reduces the weight of
 * earlier pauses. Default: the shipped value.
 */
export function fitLifetimes(
  sessions: readonly PausedSession[],
  charge: (model: string) => Charged,
  fade?: number,
): readonly FittedSession[] {
  const tried = sessions.map((session) => trySession(session, charge(session.model), fade));
  return tried.map(({ row, costs }) => {
    const index = chooseMargin(tried.filter((other) => other.row !== row).map(({ ratios }) => ratios));
    return { ...row, leftOut: { margin: MARGINS[index] ?? Number.NaN, cost: costs[index] ?? Number.NaN } };
  });
}

interface Tried {
  readonly row: Omit<FittedSession, 'leftOut'>;
  /** Costs for each margin, and their ratios to the better fixed TTL (`ratios`). */
  readonly costs: readonly number[];
  readonly ratios: readonly number[];
}

function trySession({ name, steps, billed }: PausedSession, charged: Charged, fade?: number): Tried {
  const played = play(steps, charged);
  const fits = MARGINS.map((margin) => (fade === undefined ? { margin } : { margin, fade }));
  const costs = fits.map((fit) => playChosen(steps, charged, fit));
  const { read, write } = ratesOf(charged.price);
  const ideal = steps.reduce(
    (sum, { tokens, kept }) => sum + read.toNumber() * kept + write.toNumber() * (tokens - kept),
    0,
  );
  const row = { name, played, ideal, ...(billed === undefined ? {} : { billed }) };
  return { row, costs, ratios: costs.map((cost) => overFixed(played, cost)) };
}

/**
 * Returns the index of the margin with the fewest sessions above the limit. Among equal margins, returns the one with
 * the smallest sum of ratios.
 */
function chooseMargin(sessions: readonly (readonly number[])[]): number {
  const scores = MARGINS.map((_, index) => {
    const ratios = sessions.map((session) => session[index] ?? Number.NaN);
    return { above: ratios.filter((ratio) => ratio > LIMIT).length, sum: ratios.reduce((a, b) => a + b, 0) };
  });
  return scores.reduce((best, score, index) => {
    const least = scores[best];
    const isBetter = least === undefined || score.above < least.above;
    return isBetter || (score.above === least.above && score.sum < least.sum) ? index : best;
  }, 0);
}
