// Sums of the usage of a turn so far: steps, calls, tokens, money. If a call has no count, it is not added to the sums
// (L7), but its estimate counts against the limits.

import type { AnswerReceived, HistoryCompacted, ToolCharged, TurnTotals, Usage } from '@tidemark/log';
import { money } from '@tidemark/log';
import { inputTokens, outputTokens, sumOfMoney } from '@tidemark/model';
import { isRecovery } from '../ports/compaction.ts';

/** Sums over the calls of a turn. */
export interface Spent {
  readonly steps: number;
  readonly calls: number;
  /** Input and output tokens that providers counted. */
  readonly input: number;
  readonly output: number;
  /** Known cost in US dollars. */
  readonly cost: string;
  /**
   * Number of calls with unknown tokens, and number of calls with unknown cost. If one of these numbers is above 0, the
   * real sum of tokens or cost is at least as high as the counted sum.
   */
  readonly unknown: { readonly tokens: number; readonly cost: number };
  /**
   * Estimated tokens of the calls in `unknown`, and an upper bound of their cost in US dollars. They are not in the
   * sums but count against the limits.
   */
  readonly beyond: { readonly tokens: number; readonly cost: string };
}

/** Sums of a turn that has not used anything yet. */
export const NOTHING_SPENT: Spent = {
  steps: 0,
  calls: 0,
  input: 0,
  output: 0,
  cost: '0',
  unknown: { tokens: 0, cost: 0 },
  beyond: { tokens: 0, cost: '0' },
};

/** Recorded usage, cost and estimates of a finished call. */
export interface SpentCall extends Partial<Pick<AnswerReceived, 'cost' | 'costAtMost' | 'estimated'>> {
  readonly usage?: Usage;
}

/** Returns the sums after one more call to a model. `steps` is 1 if the call ends a step, otherwise 0. */
export function spend(spent: Spent, call: SpentCall, steps: number): Spent {
  const { usage = {}, cost, costAtMost, estimated = {} } = call;
  const taken = take(
    { ...spent, steps: spent.steps + steps },
    { input: inputTokens(usage), output: outputTokens(usage), cost },
  );
  const most = cost === undefined ? (costAtMost ?? estimated.cost ?? '0') : '0';
  const tokens = (estimated.input ?? 0) + (estimated.output ?? 0);
  return { ...taken, beyond: { tokens: taken.beyond.tokens + tokens, cost: sumOfMoney([taken.beyond.cost, most]) } };
}

/** Returns the tokens that count against a limit: the counted tokens, and the estimate for calls without a count. */
export function tokensTaken({ input, output, beyond }: Spent): number {
  return input + output + beyond.tokens;
}

/** Returns the US dollars that count against a limit: the known cost, and the upper bound for calls of unknown cost. */
export function moneyTaken({ cost, beyond }: Spent): string {
  return sumOfMoney([cost, beyond.cost]);
}

/**
 * Returns the sums of the turn after the tokens and the cost of a subagent are added. The subagent's steps are not
 * added.
 */
export function spendTotals(spent: Spent, totals: TurnTotals | undefined): Spent {
  const { taken = {}, ...counted } = totals ?? {};
  return {
    ...take(spent, counted),
    beyond: {
      tokens: spent.beyond.tokens + (taken.tokens ?? 0),
      cost: sumOfMoney([spent.beyond.cost, taken.cost ?? '0']),
    },
  };
}

/**
 * Returns the totals of a charge for a tool call. The tokens of the service are in no sum of the session. A charge of
 * unknown cost is in no sum either; `tidemark cost` counts it.
 */
export function chargeTotals({ cost = money('0') }: ToolCharged): TurnTotals {
  return { steps: 0, calls: 0, input: 0, output: 0, cost };
}

interface TakenTokens {
  readonly input?: number | undefined;
  readonly output?: number | undefined;
  readonly cost?: string | undefined;
}

/** Returns the sums after one more call. An unknown value is counted in `unknown` and is not treated as 0. */
function take(spent: Spent, { input, output, cost }: TakenTokens): Spent {
  const { tokens, cost: uncosted } = spent.unknown;
  return {
    ...spent,
    input: spent.input + (input ?? 0),
    output: spent.output + (output ?? 0),
    cost: cost === undefined ? spent.cost : sumOfMoney([spent.cost, cost]),
    unknown: {
      tokens: input === undefined || output === undefined ? tokens + 1 : tokens,
      cost: cost === undefined ? uncosted + 1 : uncosted,
    },
  };
}

/**
 * Returns the totals in the form of a record. If a sum is unknown, it is absent. `taken` contains the value that counts
 * against a limit.
 */
export function totalsOf(spent: Spent): TurnTotals {
  const { steps, calls, input, output, cost, unknown } = spent;
  const taken = {
    ...(unknown.tokens === 0 ? {} : { tokens: tokensTaken(spent) }),
    ...(unknown.cost === 0 || Number(moneyTaken(spent)) === 0 ? {} : { cost: money(moneyTaken(spent)) }),
  };
  return {
    steps,
    calls,
    ...(unknown.tokens === 0 ? { input, output } : {}),
    ...(unknown.cost === 0 ? { cost: money(cost) } : {}),
    ...(Object.keys(taken).length === 0 ? {} : { taken }),
  };
}

/** Everything that a turn has used: sums and working time. */
export interface TurnTaken {
  readonly spent: Spent;
  /** Working time in this process, in milliseconds. */
  readonly ms: number;
}

/**
 * Counters of a session's automatic compactions. Three kinds are counted: compactions that were refused, compactions
 * after which a refused request is sent again, and compactions that freed almost nothing according to the provider's
 * count.
 */
export interface CompactionAttempts {
  /** Number of consecutive automatic compactions that were refused. New content for the model sets it to 0. */
  compactionRefusals: number;
  /**
   * Number of compactions made so that the provider accepts the current step. Each of them keeps less than the previous
   * one.
   */
  recoveryCompactions: number;
  /**
   * Number of consecutive automatic compactions since the last prompt that freed too little. After each of them, more
   * than `MAX_SHARE_LEFT` of the request remained, according to the provider's count.
   */
  idleCompactions: number;
  /**
   * Input tokens of the request before the last automatic compaction. Present until the first answer after the
   * compaction shows the freed tokens.
   */
  unprovenCompactionInput: number | undefined;
}

/** Largest share of a request that may remain after a useful compaction. `planCompaction` uses the same limit. */
const MAX_SHARE_LEFT = 0.8;

/** Counters of a session without automatic compactions. */
export const NOTHING_TRIED: Readonly<CompactionAttempts> = {
  compactionRefusals: 0,
  recoveryCompactions: 0,
  idleCompactions: 0,
  unprovenCompactionInput: undefined,
};

/**
 * Sets the counters of refused and of ineffective compactions to 0 after new input. Automatic compactions are then
 * tried again.
 */
export function trySince(tried: CompactionAttempts): void {
  tried.compactionRefusals = 0;
  tried.idleCompactions = 0;
}

/** Counts a recorded compaction, and sets the number of refusals to 0. */
export function takeCompaction(tried: CompactionAttempts, { trigger, before }: HistoryCompacted): void {
  tried.compactionRefusals = 0;
  tried.recoveryCompactions += isRecovery(trigger) ? 1 : 0;
  tried.unprovenCompactionInput = trigger === 'manual' ? undefined : before;
}

/**
 * Updates the counters after an answer of the main stream. The first answer after a compaction shows how much the
 * compaction freed, if the answer has a count of input tokens.
 */
export function takeAnswer(tried: CompactionAttempts, { usage }: AnswerReceived): void {
  const { unprovenCompactionInput: before } = tried;
  const input = inputTokens(usage);
  tried.compactionRefusals = 0;
  tried.recoveryCompactions = 0;
  tried.unprovenCompactionInput = undefined;
  if (before === undefined || input === undefined) return;
  tried.idleCompactions = input > MAX_SHARE_LEFT * before ? tried.idleCompactions + 1 : 0;
}
