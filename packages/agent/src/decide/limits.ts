// The limits of a turn, asked before each call: a call that would go beyond is not made, and the turn ends as limited.

import { expectedInput } from '@tidemark/context';
import type { CallForecast } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { priceAt, sumOfMoney } from '@tidemark/model';
import { AgentError } from '../errors.ts';
import type { Spent } from '../session/spent.ts';
import { moneyTaken, tokensTaken } from '../session/spent.ts';
import type { TurnLimits } from '../turn/runtime.ts';
import type { TurnEnding } from './next-move.ts';

/** What a turn has taken. */
export interface TurnTaken {
  readonly spent: Spent;
  /** Milliseconds of work in this process. */
  readonly ms: number;
}

/** Why no further call is made; `undefined` when one may be. */
export function whyLimited(limits: TurnLimits, { spent, ms }: TurnTaken): TurnEnding | undefined {
  const { steps = Infinity, ms: most = Infinity, tokens = Infinity, cost } = limits;
  if (spent.steps >= steps) return limited('steps', `${spent.steps} of ${steps} steps`);
  if (ms >= most) return limited('time', `${Math.round(ms)} of ${most} ms`);
  const used = tokensTaken(spent);
  if (used >= tokens) return limited('tokens', `${about(spent.beyond.tokens > 0)}${used} of ${tokens} tokens`);
  const paid = moneyTaken(spent);
  if (cost !== undefined && exceeds(paid, cost, true)) return limited('cost', `${paidWords(spent)} of $${cost}`);
  return undefined;
}

/** Why a call with this forecast is not made: what was spent and its input together exceed the limit of tokens or of money. */
export function whyBeyond(limits: TurnLimits, spent: Spent, forecast: CallForecast): TurnEnding | undefined {
  return whyTooLong(limits, spent, forecast) ?? whyTooDear(limits, spent, forecast);
}

function whyTooLong({ tokens: limit }: TurnLimits, spent: Spent, forecast: CallForecast): TurnEnding | undefined {
  const input = expectedInput(forecast);
  const used = tokensTaken(spent);
  if (limit === undefined || used + input <= limit) return undefined;
  const taken = `${about(spent.beyond.tokens > 0)}${used} of ${limit} tokens`;
  return limited('tokens', `${taken}, and the next call would take about ${input} before its answer`);
}

function whyTooDear({ cost: limit }: TurnLimits, spent: Spent, { cost }: CallForecast): TurnEnding | undefined {
  if (limit === undefined || cost === undefined) return undefined;
  if (!exceeds(sumOfMoney([moneyTaken(spent), cost]), limit, false)) return undefined;
  return limited('cost', `${paidWords(spent)} of $${limit}, and the next call would take $${cost} before its answer`);
}

function about(isEstimate: boolean): string {
  return isEstimate ? 'about ' : '';
}

function paidWords(spent: Spent): string {
  const isBound = spent.cost !== moneyTaken(spent);
  return `${isBound ? 'up to ' : ''}$${moneyTaken(spent)}`;
}

function exceeds(amount: string, limit: string, reached: boolean): boolean {
  const left = sumOfMoney([limit, `-${amount}`]);
  return left.startsWith('-') || (reached && Number(left) === 0);
}

function limited(what: string, taken: string): TurnEnding {
  const error = {
    code: `turn/limit-${what}`,
    message: `the turn reached its limit: ${taken}`,
    next: 'Raise the limit if it is to go on; resume goes on.',
  };
  return { outcome: 'limited', error };
}

/**
 * A limit of money means nothing where no price is known.
 *
 * @throws AgentError `agent/unknown-price`.
 */
export function requirePrice({ cost }: TurnLimits, capabilities: Capabilities, day: string): void {
  if (cost === undefined || priceAt(capabilities, day, 0) !== undefined) return;
  throw new AgentError(
    'agent/unknown-price',
    `a limit of $${cost} was set, and no price of ${capabilities.model} is known: give its price in the catalog, or limit steps or tokens`,
    { model: capabilities.model },
  );
}
