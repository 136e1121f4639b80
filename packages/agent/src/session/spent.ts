// What a turn has taken so far: steps, calls, tokens, money. What a cut call cost may be unknown, and is counted as that (L7).

import type { TurnTotals, Usage } from '@tidemark/log';
import { money } from '@tidemark/log';
import { inputTokens, sumOfMoney } from '@tidemark/model';

/** Sums over the calls of a turn. */
export interface Spent {
  readonly steps: number;
  readonly calls: number;
  /** Tokens that are known. */
  readonly input: number;
  readonly output: number;
  /** US dollars that are known. */
  readonly cost: string;
  /** Calls of which tokens or cost are not known: the sums are then lower bounds. */
  readonly unknown: { readonly tokens: number; readonly cost: number };
}

/** A turn that has done nothing. */
export const NOTHING_SPENT: Spent = {
  steps: 0,
  calls: 0,
  input: 0,
  output: 0,
  cost: '0',
  unknown: { tokens: 0, cost: 0 },
};

/** One more call to a model. */
export function spend(
  spent: Spent,
  call: { readonly usage: Usage; readonly cost: string | undefined; readonly steps: number },
): Spent {
  const { usage, cost, steps } = call;
  const input = inputTokens(usage);
  const output = usage.answer === undefined ? undefined : usage.answer + (usage.reasoning ?? 0);
  return take({ ...spent, steps: spent.steps + steps }, { input, output, cost });
}

/** What a subagent took: tokens and money of the turn that asked for it, not its steps. */
export function spendTotals(spent: Spent, totals: TurnTotals | undefined): Spent {
  return take(spent, totals ?? {});
}

/** What is not known is absent. */
interface Taken {
  readonly input?: number | undefined;
  readonly output?: number | undefined;
  readonly cost?: string | undefined;
}

/** An unknown number is counted as one that is, and never as 0. */
function take(spent: Spent, { input, output, cost }: Taken): Spent {
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

/** As a record holds it: an unknown sum is absent. */
export function totalsOf({ steps, calls, input, output, cost, unknown }: Spent): TurnTotals {
  return {
    steps,
    calls,
    ...(unknown.tokens === 0 ? { input, output } : {}),
    ...(unknown.cost === 0 ? { cost: money(cost) } : {}),
  };
}
