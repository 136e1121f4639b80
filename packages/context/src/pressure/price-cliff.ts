// Where a model prices the whole of a request dearer because of its length: which length a request crosses, and what that adds.

import type { Money, Timestamp, Usage } from '@tidemark/log';
import { money } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { costOf, inputTokens, priceAt, sumOfMoney } from '@tidemark/model';
import { cliffsOf } from './gauge.ts';

/** A length that a request is beyond, and what all of it costs more than at the price below that length. */
export interface CliffCost {
  /** Input tokens above which the price holds. */
  readonly above: number;
  /** In US dollars; absent when a price is unknown. */
  readonly cost?: Money;
}

/** One request, as it was counted or is forecast. */
export interface CliffInput {
  readonly capabilities: Capabilities;
  readonly at: Timestamp;
  readonly usage: Usage;
}

/** The highest cliff that a request is beyond; `undefined` for a request below all of them, and for an unknown length. */
export function cliffCost({ capabilities, at, usage }: CliffInput): CliffCost | undefined {
  const input = inputTokens(usage);
  const above = input === undefined ? undefined : cliffsOf(capabilities, at).findLast((one) => one < input);
  if (input === undefined || above === undefined) return undefined;
  const day = at.slice(0, 10);
  const [dear, cheap] = [input, above].map((tokens) => totalAt(capabilities, day, tokens, usage));
  if (dear === undefined || cheap === undefined) return { above };
  return { above, cost: money(sumOfMoney([dear, `-${cheap}`])) };
}

/** The same, where the request before was not beyond that cliff: its input in tokens, 0 where there was none. */
export function cliffCrossed(input: CliffInput, before: number): CliffCost | undefined {
  const cliff = cliffCost(input);
  return cliff !== undefined && before <= cliff.above ? cliff : undefined;
}

function totalAt(capabilities: Capabilities, day: string, length: number, usage: Usage): string | undefined {
  const price = priceAt(capabilities, day, length);
  return price && costOf(price, usage)?.total;
}
