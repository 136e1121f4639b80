// What a turn has taken so far: steps, calls, tokens, money. A call without a count is in no sum of counts (L7), and is
// held against the limits by its estimate.

import type { AnswerReceived, HistoryCompacted, TurnTotals, Usage } from '@tidemark/log';
import { money } from '@tidemark/log';
import { inputTokens, outputTokens, sumOfMoney } from '@tidemark/model';
import { isRecovery } from '../ports/compaction.ts';

/** Sums over the calls of a turn. */
export interface Spent {
  readonly steps: number;
  readonly calls: number;
  /** Tokens that were counted. */
  readonly input: number;
  readonly output: number;
  /** US dollars that are known. */
  readonly cost: string;
  /** Calls of which tokens or cost are not known: the sums are then lower bounds. */
  readonly unknown: { readonly tokens: number; readonly cost: number };
  /** What those calls are taken to have used beyond the sums: estimated tokens, and US dollars at most. Limits count them. */
  readonly beyond: { readonly tokens: number; readonly cost: string };
}

/** A turn that has done nothing. */
export const NOTHING_SPENT: Spent = {
  steps: 0,
  calls: 0,
  input: 0,
  output: 0,
  cost: '0',
  unknown: { tokens: 0, cost: 0 },
  beyond: { tokens: 0, cost: '0' },
};

/** A call as its end is recorded. */
export interface SpentCall extends Partial<Pick<AnswerReceived, 'cost' | 'costAtMost' | 'estimated'>> {
  readonly usage?: Usage;
}

/** One more call to a model; `steps` is 1 where it ends a step. */
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

/** Tokens that a limit counts: what was counted, and what is estimated where nothing was. */
export function tokensTaken({ input, output, beyond }: Spent): number {
  return input + output + beyond.tokens;
}

/** US dollars that a limit counts: what is known, and the most that the other calls can have cost. */
export function moneyTaken({ cost, beyond }: Spent): string {
  return sumOfMoney([cost, beyond.cost]);
}

/** What a subagent took: tokens and money of the turn that asked for it, not its steps. */
export function spendTotals(spent: Spent, totals: TurnTotals | undefined): Spent {
  const { taken = {}, ...told } = totals ?? {};
  return {
    ...take(spent, told),
    beyond: {
      tokens: spent.beyond.tokens + (taken.tokens ?? 0),
      cost: sumOfMoney([spent.beyond.cost, taken.cost ?? '0']),
    },
  };
}

/** What is not known is absent. */
interface TakenTokens {
  readonly input?: number | undefined;
  readonly output?: number | undefined;
  readonly cost?: string | undefined;
}

/** An unknown number is counted as one that is, and never as 0. */
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

/** As a record holds it: an unknown sum is absent, and what a limit counts stands for it. */
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

/** What a turn has taken. */
export interface TurnTaken {
  readonly spent: Spent;
  /** Milliseconds of work in this process. */
  readonly ms: number;
}

/**
 * What came of the automatic compactions of a session: how many were refused, how many were made to get a step
 * accepted, and how many freed next to nothing once the provider had counted.
 */
export interface CompactionAttempts {
  /** Automatic ones in a row that were refused, with nothing new for the model in between. */
  compactionRefusals: number;
  /** Those that were made to get the step at hand accepted: each keeps less than the one before it. */
  recoveryCompactions: number;
  /** Automatic ones in a row that left more than `MOST_LEFT` of the request by the provider's own count, since the last prompt. */
  idleCompactions: number;
  /** Tokens of the request before the last automatic one, until the first answer behind it tells what it freed. */
  unprovenCompactionInput: number | undefined;
}

/** Share of a request that a compaction leaves at most where it is worth making: what a plan promises too. */
const MOST_LEFT = 0.8;

/** Nothing tried. */
export const NOTHING_TRIED: Readonly<CompactionAttempts> = {
  compactionRefusals: 0,
  recoveryCompactions: 0,
  idleCompactions: 0,
  unprovenCompactionInput: undefined,
};

/** Somebody said something: automatic compactions are tried again. */
export function trySince(tried: CompactionAttempts): void {
  tried.compactionRefusals = 0;
  tried.idleCompactions = 0;
}

/** Takes a compaction that was made. */
export function takeCompaction(tried: CompactionAttempts, { trigger, before }: HistoryCompacted): void {
  tried.compactionRefusals = 0;
  tried.recoveryCompactions += isRecovery(trigger) ? 1 : 0;
  tried.unprovenCompactionInput = trigger === 'manual' ? undefined : before;
}

/** Takes an answer of the main stream: the first one behind a compaction tells what that has freed. An unknown count tells nothing. */
export function takeAnswer(tried: CompactionAttempts, { usage }: AnswerReceived): void {
  const { unprovenCompactionInput: before } = tried;
  const input = inputTokens(usage);
  tried.compactionRefusals = 0;
  tried.recoveryCompactions = 0;
  tried.unprovenCompactionInput = undefined;
  if (before === undefined || input === undefined) return;
  tried.idleCompactions = input > MOST_LEFT * before ? tried.idleCompactions + 1 : 0;
}
