// What a subagent may take: the least of its own limits and its share of what the turn has left. Calls that wait share alike,
// and what one leaves over goes to those behind it, so that all of them together never take more than is there.

import type { CallId } from '@tidemark/log';
import { sumOfMoney } from '@tidemark/model';
import type { TurnTaken } from '../decide/limits.ts';
import { moneyTaken, tokensTaken } from '../session/spent.ts';
import type { TurnLimits } from '../turn/runtime.ts';

/** What the subagents of a turn may take together, and what those that work now were promised. */
export interface LeftForSubagents {
  readonly limits: TurnLimits;
  readonly taken: TurnTaken;
  readonly promised: ReadonlyMap<CallId, TurnLimits>;
  /** How many share the rest: the one that is asked for, and those that wait. */
  readonly among: number;
}

/** The limits of the next one. */
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
    ...(own.steps !== undefined && { steps: own.steps }),
    ...least('ms', own.ms, restOf(limits.ms, [taken.ms])),
    ...least('tokens', own.tokens, tokens === undefined ? undefined : Math.floor(tokens / among)),
    ...leastCost(own.cost, cost === undefined ? undefined : partOf(cost, among)),
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

function least(name: 'ms' | 'tokens', own: number | undefined, share: number | undefined): TurnLimits {
  return own === undefined && share === undefined ? {} : { [name]: Math.min(own ?? Infinity, share ?? Infinity) };
}

function leastCost(own: string | undefined, share: string | undefined): TurnLimits {
  if (own === undefined) return share === undefined ? {} : { cost: share };
  return { cost: share === undefined || sumOfMoney([own, `-${share}`]).startsWith('-') ? own : share };
}

/** Digits behind the point that a share is cut to. */
const DIGITS = 12;

/** Rounded down, in exact decimals; nothing of what is spent already. */
function partOf(amount: string, parts: number): string {
  if (amount.startsWith('-')) return '0';
  const [whole = '0', fraction = ''] = amount.split('.');
  const units = BigInt(whole + fraction.slice(0, DIGITS).padEnd(DIGITS, '0')) / BigInt(parts);
  const text = String(units).padStart(DIGITS + 1, '0');
  return sumOfMoney([`${text.slice(0, -DIGITS)}.${text.slice(-DIGITS)}`]);
}
