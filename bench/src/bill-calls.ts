// Computes the costs of calls from the simulator's ledger and compares them with the ideal costs. The ledger also
// contains the calls whose answer was lost.

import type { Usage } from '@tidemark/log';
import { timestamp } from '@tidemark/log';
import type { Bill } from '@tidemark/context';
import { addBills, billOf, NO_BILL } from '@tidemark/context';
import type { Capabilities } from '@tidemark/model';
import { inputTokens } from '@tidemark/model';
import type { LedgerCall } from '@tidemark/simulator';

import { readableOf } from './model-row.ts';
import type { Step } from './pause-sequences.ts';

/** Returns true if a call is a side call. `call` is its index in the ledger. */
export type IsSideCall = (call: number) => boolean;

/**
 * Returns the total bill of one session after each of its calls. The new tokens of a call are those by which its input
 * is larger than the input of the previous main call. Tokens of a removed tool do not count as new. Providers read
 * cached input only in multiples of a fixed size. The tokens above the last multiple count as new, because no engine
 * can read them from the cache.
 *
 * @throws Error for a call that was refused or has no price.
 */
export function billsOf(
  calls: readonly LedgerCall[],
  capabilities: Capabilities,
  isSideCall: IsSideCall = () => false,
): readonly Bill[] {
  let bill = NO_BILL;
  const bills: Bill[] = [];
  let last: { readonly input: number; readonly at: number } | undefined;
  for (const [index, call] of calls.entries()) {
    const usage = usageOf(call, capabilities);
    const input = inputTokens(usage) ?? 0;
    const unsent = Math.max(0, input - readableOf(last?.input ?? 0, capabilities));
    const before = last === undefined ? undefined : timeOf(last.at);
    const one = billOf({ capabilities, at: timeOf(call.at), usage, unsent, before });
    if (one === undefined) throw new Error(`a call of ${capabilities.model} has no price`);
    bill = addBills(bill, one);
    bills.push(bill);
    if (!isSideCall(index)) last = { input, at: call.at };
  }
  return bills;
}

/**
 * Returns the calls of one stream as steps of a growing cache entry: the pause before each call in milliseconds, the
 * input tokens of the call, and the input tokens of the previous call.
 */
export function stepsOf(calls: readonly LedgerCall[], capabilities: Capabilities): readonly Step[] {
  const inputs = calls.map((call) => inputTokens(usageOf(call, capabilities)) ?? 0);
  return calls.map(({ at }, index) => ({
    gap: at - (calls[index - 1]?.at ?? at),
    tokens: inputs[index] ?? 0,
    kept: inputs[index - 1] ?? 0,
  }));
}

/**
 * Returns the input of a call by bucket.
 * @throws Error for a call that was refused.
 */
export function usageOf({ usage, counts, status }: LedgerCall, { ttls }: Capabilities): Usage {
  if (usage !== undefined) {
    const { input_tokens: fresh, cache_read_input_tokens: read, cache_creation: created } = usage;
    const writes = [
      { ttl: '5m', tokens: created.ephemeral_5m_input_tokens },
      { ttl: '1h', tokens: created.ephemeral_1h_input_tokens },
    ] as const;
    return { fresh, read, writes };
  }
  if (counts === undefined) throw new Error(`a call was refused with status ${status}`);
  const { input, read, writtenShort, writtenLong } = counts;
  const [short = '30m', long = '12h'] = ttls;
  const writes = [
    { ttl: short, tokens: writtenShort },
    { ttl: long, tokens: writtenLong },
  ];
  return { fresh: input - read - writtenShort - writtenLong, read, writes };
}

function timeOf(at: number): ReturnType<typeof timestamp> {
  return timestamp(new Date(at).toISOString());
}
