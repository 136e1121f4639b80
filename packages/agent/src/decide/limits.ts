// Limits of a turn, checked before each call. A call that would exceed a limit is not sent, and the turn ends as
// `limited`.

import { expectedInput } from '@tidemark/context';
import type { CallForecast } from '@tidemark/log';
import type { Capabilities, ProviderError, ProviderErrorCode } from '@tidemark/model';
import { priceAt, sumOfMoney } from '@tidemark/model';
import { AgentError } from '../errors.ts';
import type { RetryPolicy, TurnLimits } from '../ports/runtime.ts';
import type { Spent, TurnTaken } from '../session/spent.ts';
import { moneyTaken, tokensTaken } from '../session/spent.ts';
import type { TurnLimit } from '../ports/turn-error.ts';
import type { TurnEnding } from './next-move.ts';

/** Returns the end of the turn if a limit is reached, or `undefined` if another call may be sent. */
export function whyLimited(limits: TurnLimits, { spent, ms }: TurnTaken): TurnEnding | undefined {
  const { steps = Infinity, ms: most = Infinity, tokens = Infinity, cost } = limits;
  if (spent.steps >= steps) return limitEnding('steps', `${spent.steps} of ${steps} steps`);
  if (ms >= most) return timeEnding(ms, most);
  const used = tokensTaken(spent);
  if (used >= tokens) return limitEnding('tokens', `${about(spent.beyond.tokens > 0)}${used} of ${tokens} tokens`);
  const paid = moneyTaken(spent);
  if (cost !== undefined && exceeds(paid, cost, true)) return limitEnding('cost', `${paidWords(spent)} of $${cost}`);
  return undefined;
}

/** Returns the end of a turn that reached its limit of time, in milliseconds. */
export function timeEnding(ms: number, most: number = ms): TurnEnding {
  return limitEnding('time', `${Math.round(ms)} of ${most} ms`);
}

/**
 * Returns the end of the turn if the next call would exceed the limit of tokens or cost. The limit is compared with the
 * use so far plus the forecast of the next call. Otherwise returns `undefined`.
 */
export function whyBeyond(limits: TurnLimits, spent: Spent, forecast: CallForecast): TurnEnding | undefined {
  return whyTooLong(limits, spent, forecast) ?? whyTooDear(limits, spent, forecast);
}

function whyTooLong({ tokens: limit }: TurnLimits, spent: Spent, forecast: CallForecast): TurnEnding | undefined {
  const input = expectedInput(forecast);
  const used = tokensTaken(spent);
  if (limit === undefined || used + input <= limit) return undefined;
  const taken = `${about(spent.beyond.tokens > 0)}${used} of ${limit} tokens`;
  return limitEnding('tokens', `${taken}, and the next call would use about ${input} before its answer`);
}

function whyTooDear({ cost: limit }: TurnLimits, spent: Spent, { cost }: CallForecast): TurnEnding | undefined {
  if (limit === undefined || cost === undefined) return undefined;
  if (!exceeds(sumOfMoney([moneyTaken(spent), cost]), limit, false)) return undefined;
  return limitEnding(
    'cost',
    `${paidWords(spent)} of $${limit}, and the next call would cost $${cost} before its answer`,
  );
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

function limitEnding(what: TurnLimit, taken: string): TurnEnding {
  const error = {
    code: `turn/limit-${what}` as const,
    message: `the turn reached its limit: ${taken}`,
    next: 'To continue the turn, raise the limit and resume.',
  };
  return { outcome: 'limited', error };
}

/**
 * Checks that the price of the model is known if a cost limit is set. Without a price the limit would have no effect.
 *
 * @throws AgentError `agent/unknown-price`.
 */
export function requirePrice({ cost }: TurnLimits, capabilities: Capabilities, day: string): void {
  if (cost === undefined || priceAt(capabilities, day, 0) !== undefined) return;
  throw new AgentError(
    'agent/unknown-price',
    `the cost limit of $${cost} cannot be applied, because the price of ${capabilities.model} is unknown: add its price to the catalog, or limit steps or tokens`,
    { model: capabilities.model },
  );
}

/**
 * Default for the longest pause that a provider can request, in milliseconds. A rate limit per minute ends within one
 * minute. A person has to decide about a longer wait.
 */
const LONGEST_MS = 120_000;

/**
 * Returns the pause before the same step is sent again, in milliseconds, or `undefined` if the step is not sent again.
 * If the provider asks for a pause, returns that pause. If that pause is longer than `maxRetryAfterMs`, returns
 * `undefined`. Otherwise the pause doubles with each attempt and is shortened by a random part of up to half. Because
 * of the random part, calls that failed together are not repeated together.
 */
export function retryPause(
  policy: RetryPolicy,
  error: ProviderError,
  tries: number,
  chance: number,
): number | undefined {
  if (error.class !== 'retryable' || tries >= policy.attempts) return undefined;
  const { afterMs } = error.data;
  if (afterMs !== undefined) return afterMs > (policy.maxRetryAfterMs ?? LONGEST_MS) ? undefined : afterMs;
  const whole = Math.min(policy.maxDelayMs, policy.initialDelayMs * 2 ** (tries - 1));
  return Math.round(whole * (1 - chance / 2));
}

/**
 * Returns the end of a turn whose call failed and is not sent again. The session stays valid, and `resume` sends the
 * request again.
 */
export function failedBy(error: ProviderError): TurnEnding {
  const next = waitFor(error) ?? NEXT[error.code] ?? BY_CLASS[error.class];
  return { outcome: 'failed', error: { code: error.code, message: beginningOf(error.what), next } };
}

/**
 * Maximum characters of an error message that records and notices repeat. The record of the failed call contains the
 * whole message.
 */
const MAX_WORDS = 400;

/** Returns the beginning of the message of a failed call, for records and notices that repeat it. */
export function beginningOf(message: string): string {
  return message.length <= MAX_WORDS ? message : `${message.slice(0, MAX_WORDS).toWellFormed()}…`;
}

function waitFor({ class: sort, data: { afterMs } }: ProviderError): string | undefined {
  if (sort !== 'retryable' || afterMs === undefined) return undefined;
  return `Wait ${Math.ceil(afterMs / 1000).toLocaleString('en-US')} s, as the provider asks, then resume.`;
}

const BY_CLASS: Readonly<Record<ProviderError['class'], string>> = {
  retryable: 'Wait a moment, then resume.',
  compaction: 'Compact the history (tidemark compact, or compact() of the session), then resume.',
  refused: 'Fix the problem in the message, then resume or send another prompt.',
  stop: 'Resolve the problem with the provider, then resume.',
};

const NEXT: { readonly [Code in ProviderErrorCode]?: string } = {
  'provider/authentication': 'Set a valid API key, then resume.',
  'provider/permission': 'Use a key that has access to this model, or use another model; then resume.',
  'provider/billing': "Check the account's billing with the provider, then resume.",
  'provider/address': 'Check the address of the provider and the network, then resume.',
  'provider/oversized': 'Check the address of the provider, then resume.',
  'provider/not-found': 'Check the name of the model and the address of the provider, then resume.',
};
