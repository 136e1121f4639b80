// Limits of a subagent. Tokens and cost are limited by the subagent's own limits and by its share of the amount that
// remains for the turn. Waiting calls get equal shares. Later calls get the unused part of a share, so all subagents
// together never take more than the remaining amount. Time is limited by the subagent's own limit and by the remaining
// time of the turn. Steps are limited only by the subagent's own limit.

import { defined } from '@tidemark/core';
import type { CallId } from '@tidemark/log';
import { sumOfMoney } from '@tidemark/model';
import type { TurnLimits } from '../ports/runtime.ts';
import type { TurnTaken } from '../session/spent.ts';
import { moneyTaken, tokensTaken } from '../session/spent.ts';

/** Limits and usage of a turn, and the limits reserved for its running subagents. */
export interface LeftForSubagents {
  readonly limits: TurnLimits;
  readonly taken: TurnTaken;
  readonly promised: ReadonlyMap<CallId, TurnLimits>;
  /** Number of subagents that share the remaining limits: the requested subagent and the waiting subagents. */
  readonly among: number;
}

/**
 * Returns the limits of the next subagent. For time, tokens and cost, this is the lower of two limits: `own`, and its
 * share of the amount that remains for the turn. Steps are limited only by `own`. If none of the two limits is set, the
 * limit is absent.
 */
export function shareOf(own: TurnLimits, { limits, taken, promised, among }: LeftForSubagents): TurnLimits {
  const others = [...promised.values()];
  const tokens = restOf(limits.tokens, [tokensTaken(taken.spent), ...others.map((one) => one.tokens ?? 0)]);
  const cost =
    limits.cost &&
    sumOfMoney([
      limits.cost,
      ...[moneyTaken(taken.spent), ...others.map((one) => one.cost ?? '0')].map((one) => `-${one}`),
    ]);
  return {
    ...defined({ steps: own.steps }),
    ...lowerLimit('ms', own.ms, restOf(limits.ms, [taken.ms])),
    ...lowerLimit('tokens', own.tokens, tokens === undefined ? undefined : Math.floor(tokens / among)),
    ...lowerCost(own.cost, cost === undefined ? undefined : partOf(cost, among)),
  };
}

/** Returns the lower of two limits for each kind of limit. */
export function lowerLimits(a: TurnLimits, b: TurnLimits): TurnLimits {
  return {
    ...lowerLimit('steps', a.steps, b.steps),
    ...lowerLimit('ms', a.ms, b.ms),
    ...lowerLimit('tokens', a.tokens, b.tokens),
    ...lowerCost(a.cost, b.cost),
  };
}

function restOf(limit: number | undefined, taken: readonly number[]): number | undefined {
  return limit === undefined
    ? undefined
    : Math.max(
        0,
        taken.reduce((rest, one) => rest - one, limit),
      );
}

function lowerLimit(name: 'steps' | 'ms' | 'tokens', a: number | undefined, b: number | undefined): TurnLimits {
  return a === undefined && b === undefined ? {} : { [name]: Math.min(a ?? Infinity, b ?? Infinity) };
}

function lowerCost(a: string | undefined, b: string | undefined): TurnLimits {
  if (a === undefined) return b === undefined ? {} : { cost: b };
  return { cost: b === undefined || sumOfMoney([a, `-${b}`]).startsWith('-') ? a : b };
}

/** Decimal places to which the cost of a share is cut. */
const DIGITS = 12;

/** Returns an equal part of an amount, rounded down in exact decimals. Returns 0 for a negative amount. */
function partOf(amount: string, parts: number): string {
  if (amount.startsWith('-')) return '0';
  const [whole = '0', fraction = ''] = amount.split('.');
  const units = BigInt(whole + fraction.slice(0, DIGITS).padEnd(DIGITS, '0')) / BigInt(parts);
  const text = String(units).padStart(DIGITS + 1, '0');
  return sumOfMoney([`${text.slice(0, -DIGITS)}.${text.slice(-DIGITS)}`]);
}
