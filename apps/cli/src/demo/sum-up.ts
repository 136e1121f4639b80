// Adds up the cost of the demo's calls. The figures come from the simulator's records, which include the call that was
// cut off.

import { addBills, billOf, NO_BILL } from '@tidemark/context';
import { timestamp } from '@tidemark/log';
import type { Capabilities, Usage } from '@tidemark/model';
import { costOf, inputTokens, priceAt, sumOfMoney } from '@tidemark/model';
import type { LedgerCall } from '@tidemark/simulator';

/** Totals over all calls. `billed`, `ideal` and `uncached` are costs, in units of the base price of one input token. */
export interface Sum {
  readonly calls: number;
  readonly billed: number;
  readonly ideal: number;
  readonly uncached: number;
  /** Cost of the calls in US dollars, including the answers. */
  readonly cost: string;
}

/** One call as the provider bills it. */
export interface CallSum {
  readonly usage: Usage;
  /** Cost of the call in US dollars, including the answer. `undefined` if the price is unknown. */
  readonly cost: string | undefined;
}

/** Returns the usage and the cost of one call. For a call that was refused, returns `undefined`. */
export function sumOfCall({ usage: counted, at }: LedgerCall, capabilities: Capabilities): CallSum | undefined {
  if (counted === undefined) return undefined;
  const { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long } = counted.cache_creation;
  const usage: Usage = {
    fresh: counted.input_tokens,
    read: counted.cache_read_input_tokens,
    writes: [
      { ttl: '1h', tokens: long },
      { ttl: '5m', tokens: short },
    ],
    answer: counted.output_tokens,
  };
  const price = priceAt(capabilities, new Date(at).toISOString().slice(0, 10), inputTokens(usage) ?? 0);
  return { usage, cost: price === undefined ? undefined : costOf(price, usage)?.total };
}

/**
 * Adds up the cost of the calls. Each session must have only one epoch. The number of new tokens of a call is its input
 * minus the longest earlier input of the same session. For the first call of a session, tokens read from the cache are
 * not new, even if another session wrote them.
 */
export function sumUp(calls: readonly LedgerCall[], capabilities: Capabilities, sessionOf: SessionOf): Sum {
  let bill = NO_BILL;
  let cost = '0';
  const longest = new Map<string | undefined, number>();
  for (const call of calls) {
    const one = sumOfCall(call, capabilities);
    if (one === undefined) continue;
    const session = sessionOf(call.digest);
    const at = timestamp(new Date(call.at).toISOString());
    const input = inputTokens(one.usage) ?? 0;
    const before = longest.get(session) ?? one.usage.read ?? 0;
    const unsent = Math.max(0, input - before);
    const added = billOf({ capabilities, at, usage: one.usage, unsent, before: undefined });
    bill = added === undefined ? bill : addBills(bill, added);
    cost = sumOfMoney([cost, one.cost ?? '0']);
    longest.set(session, Math.max(before, input));
  }
  const { billed, ideal, uncached } = bill;
  return {
    calls: calls.length,
    billed: billed.toNumber(),
    ideal: ideal.toNumber(),
    uncached: uncached.toNumber(),
    cost,
  };
}

/**
 * Returns the session that sent a request body. The key is the digest of the body. If the digest is unknown, returns
 * `undefined`.
 */
export type SessionOf = (digest: string) => string | undefined;
