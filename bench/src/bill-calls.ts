// What the simulator's ledger says that calls cost, against the ideal: it knows those whose answer was lost as well.

import type { Usage } from '@tidemark/log';
import { timestamp } from '@tidemark/log';
import type { Bill } from '@tidemark/context';
import { addBills, billOf, NO_BILL } from '@tidemark/context';
import type { Capabilities } from '@tidemark/model';
import type { LedgerCall, WireUsage } from '@tidemark/simulator';
import { totalInput } from '@tidemark/simulator';

/**
 * The bill of all calls of one session, in which nothing is taken back: a call's new tokens are those by which its input grew.
 *
 * @throws Error for a call that was refused, that has no price, or whose input shrank.
 */
export function billCalls(calls: readonly LedgerCall[], capabilities: Capabilities): Bill {
  let bill = NO_BILL;
  let last: { readonly input: number; readonly at: number } | undefined;
  for (const { at, usage: told, status } of calls) {
    if (told === undefined) throw new Error(`a call was refused with status ${status}`);
    const input = totalInput(told);
    const unsent = input - (last?.input ?? 0);
    const before = last === undefined ? undefined : timeOf(last.at);
    const one = billOf({ capabilities, at: timeOf(at), usage: usageOf(told), unsent, before });
    if (one === undefined || unsent < 0) throw new Error(`a call has no price, or ${-unsent} tokens were taken back`);
    bill = addBills(bill, one);
    last = { input, at };
  }
  return bill;
}

function usageOf({ input_tokens: fresh, cache_read_input_tokens: read, cache_creation: created }: WireUsage): Usage {
  return {
    fresh,
    read,
    writes: [
      { ttl: '5m', tokens: created.ephemeral_5m_input_tokens },
      { ttl: '1h', tokens: created.ephemeral_1h_input_tokens },
    ],
  };
}

function timeOf(at: number): ReturnType<typeof timestamp> {
  return timestamp(new Date(at).toISOString());
}
