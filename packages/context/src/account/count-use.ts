// Counts the tokens and the cost of a call. A count that the provider did not report is derived from the request if only
// one value is possible. Otherwise the cost gets an upper bound, or the count is estimated (L7).

import { defined } from '@tidemark/core';
import type { AnswerReceived, EstimatedUse, RequestPrepared, Timestamp } from '@tidemark/log';
import { money } from '@tidemark/log';
import type { Capabilities, Price, Ttl, Usage } from '@tidemark/model';
import { allWritten, completeUsage, costAtMost, costOf, inputTokens, outputTokens, priceAt } from '@tidemark/model';
import { expectedInput } from '../state/scales.ts';

/** Token counts and cost of a call, in the form of its record. */
export type CountedUse = Pick<AnswerReceived, 'usage' | 'cost' | 'costAtMost' | 'estimated' | 'prices'>;

/** Call to count. */
export interface CallToCount {
  readonly capabilities: Capabilities;
  /** Time at which the request was sent. */
  readonly at: Timestamp;
  readonly request: Pick<RequestPrepared, 'forecast' | 'size'>;
  /** Counts that the provider reported. */
  readonly usage: Usage;
  /** Possible lifetimes of the tokens that the call wrote. */
  readonly lives: readonly Ttl[];
  /** Estimated tokens of the answer. They are used if the provider did not count the output. */
  readonly output: number;
}

/** Returns the counts and the cost of a call. Counts that the provider did not report are estimated. */
export function countUse({ capabilities, at, request, output, lives, usage: reported }: CallToCount): CountedUse {
  const usage = completeUsage(reported, { lives, ...rulesOf(capabilities, at) });
  const estimates = estimatesFor(request, usage, output);
  const guessed = { ...usage, ...estimates.input, ...estimates.output };
  const price = priceOf(capabilities, at, guessed);
  if (price === undefined) return { usage, ...estimatedUse(estimates, undefined) };
  const named = { prices: `${capabilities.model} ${capabilities.asOf}` };
  const cost = costOf(price, usage);
  if (cost !== undefined) return { usage, cost: money(cost.total), ...named };
  const most = costAtMost(price, guessed, lives);
  const bound = most === undefined ? undefined : money(most);
  if (estimates.input === undefined && estimates.output === undefined) {
    return bound === undefined ? { usage } : { usage, costAtMost: bound, ...named };
  }
  return { usage, ...estimatedUse(estimates, bound) };
}

function rulesOf({ prices, markers }: Capabilities, at: string): { billsWrites: boolean; caches: boolean } {
  const list = prices.findLast(({ from }) => from <= at.slice(0, 10));
  const bills = list === undefined || list.tiers.some(({ price }) => Object.keys(price.writes).length > 0);
  return { billsWrites: bills, caches: markers !== 'none' };
}

function priceOf(capabilities: Capabilities, at: string, usage: Usage): Price | undefined {
  const input = inputTokens(usage);
  return input === undefined ? undefined : priceAt(capabilities, at.slice(0, 10), input);
}

/** Estimates that replace missing counts. A field is absent if the provider reported its count. */
interface Estimates {
  readonly input?: { readonly input: number };
  readonly output?: { readonly answer: number };
}

function estimatesFor({ forecast, size }: CallToCount['request'], usage: Usage, output: number): Estimates {
  const input = Math.max(size?.input ?? expectedInput(forecast), leastInput(usage));
  return {
    ...(inputTokens(usage) === undefined && { input: { input } }),
    ...(outputTokens(usage) === undefined && { output: { answer: output } }),
  };
}

/** Returns the sum of the reported input buckets. An estimate of the whole input is never below this sum. */
function leastInput(usage: Usage): number {
  return (usage.fresh ?? 0) + (usage.read ?? 0) + (allWritten(usage) ?? 0);
}

function estimatedUse({ input, output }: Estimates, cost: EstimatedUse['cost']): Pick<CountedUse, 'estimated'> {
  if (input === undefined && output === undefined) return {};
  const tokens = { ...input, ...defined({ output: output?.answer }) };
  return { estimated: { ...tokens, ...defined({ cost }) } };
}
