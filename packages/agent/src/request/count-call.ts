// What a call used and cost: the provider's counts, what follows from the request where they leave a bucket open, a bound or
// an estimate where nothing does (L7).

import type { AnswerReceived, EstimatedUse, RequestPrepared } from '@tidemark/log';
import { money } from '@tidemark/log';
import type { State } from '@tidemark/context';
import { estimatedOutput, expectedInput } from '@tidemark/context';
import type { Answer, Capabilities, Price, Ttl, Usage } from '@tidemark/model';
import { allWritten, completeUsage, costAtMost, costOf, inputTokens, outputTokens, priceAt } from '@tidemark/model';
import type { Prepared } from './prepare.ts';

/** The counts and prices of a call as its record holds them. */
export type CountedUse = Pick<AnswerReceived, 'usage' | 'cost' | 'costAtMost' | 'estimated' | 'prices'>;

/** Counts a call from its answer: `state` is that of its request, and estimates what the provider did not count. */
export function countCall(state: State, prepared: Prepared, answer: Pick<Answer, 'parts' | 'usage'>): CountedUse {
  const { capabilities, record } = prepared;
  const lives = livesWritten(state, record.data, answer.usage);
  const usage = completeUsage(answer.usage, { lives, ...rulesOf(capabilities, record.at) });
  const estimates = estimatesFor(state, prepared, { ...answer, usage });
  const guessed = { ...usage, ...estimates.input, ...estimates.output };
  const price = priceOf(capabilities, record.at, guessed);
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

/**
 * Lifetimes that what was written can have. Where the call read all that the one before it left, only markers behind that
 * wrote anything.
 */
function livesWritten({ streams }: State, request: RequestPrepared, { read }: Usage): readonly Ttl[] {
  const { cached, end } = streams['main']?.accepted ?? {};
  const isRead = request.stream === 'main' && request.relation === 'extends';
  const from = isRead && end !== undefined && read !== undefined && read >= (cached ?? Infinity) ? end : -1;
  return request.markers.flatMap(({ block, ttl }) => (block > from ? [ttl] : []));
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

/** What stands for the counts that are missing; a field is absent where its count was told. */
interface Estimates {
  readonly input?: { readonly input: number };
  readonly output?: { readonly answer: number };
}

function estimatesFor(state: State, { record, outlook }: Prepared, answer: Pick<Answer, 'parts' | 'usage'>): Estimates {
  const input = Math.max(record.data.size?.input ?? expectedInput(outlook.forecast), leastInput(answer.usage));
  return {
    ...(inputTokens(answer.usage) === undefined && { input: { input } }),
    ...(outputTokens(answer.usage) === undefined && { output: { answer: estimatedOutput(state, answer.parts) } }),
  };
}

/** What the told buckets hold together: an estimate of the whole is never below it. */
function leastInput(usage: Usage): number {
  return (usage.fresh ?? 0) + (usage.read ?? 0) + (allWritten(usage) ?? 0);
}

function estimatedUse({ input, output }: Estimates, cost: EstimatedUse['cost']): Pick<CountedUse, 'estimated'> {
  if (input === undefined && output === undefined) return {};
  const tokens = { ...input, ...(output === undefined ? {} : { output: output.answer }) };
  return { estimated: { ...tokens, ...(cost === undefined ? {} : { cost }) } };
}
