// What the calls of the demo cost: by the simulator's ledger, which knows the call that was cut too.

import { addBills, billOf, NO_BILL } from '@tidemark/context';
import { timestamp } from '@tidemark/log';
import type { Capabilities, Usage } from '@tidemark/model';
import { costOf, inputTokens, priceAt, sumOfMoney } from '@tidemark/model';
import type { LedgerCall } from '@tidemark/simulator';

/** Sums over all calls; tokens in units of the base input price. */
export interface Sum {
  readonly calls: number;
  readonly billed: number;
  readonly ideal: number;
  readonly uncached: number;
  /** US dollars, answers included. */
  readonly cost: string;
}

/** One call as it was billed. */
export interface CallSum {
  readonly usage: Usage;
  /** US dollars, its answer included; absent where no price is known. */
  readonly cost: string | undefined;
}

/** What one call of the ledger cost; `undefined` for one that was refused. */
export function sumOfCall({ usage: told, at }: LedgerCall, capabilities: Capabilities): CallSum | undefined {
  if (told === undefined) return undefined;
  const { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long } = told.cache_creation;
  const usage: Usage = {
    fresh: told.input_tokens,
    read: told.cache_read_input_tokens,
    writes: [
      { ttl: '1h', tokens: long },
      { ttl: '5m', tokens: short },
    ],
    answer: told.output_tokens,
  };
  const price = priceAt(capabilities, new Date(at).toISOString().slice(0, 10), inputTokens(usage) ?? 0);
  return { usage, cost: price === undefined ? undefined : costOf(price, usage)?.total };
}

/**
 * Sums up sessions of one epoch each. What is new in a call is by how much it is longer than every call before of its session;
 * what it read was there before, by whomever it was written.
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

/** The session that sent a body, by the digest of its bytes. */
export type SessionOf = (digest: string) => string | undefined;
