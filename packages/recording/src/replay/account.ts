// Account of a replay: the bill of the replayed calls, the cost that no engine could have avoided, and the causes of
// misses. All costs are in units of the base input price of the call's model.

import { defined } from '@tidemark/core';
import type { MissCause } from '@tidemark/log';
import type { Bill } from '@tidemark/context';
import { addBills, billOf, NO_BILL, ratesOf, unitPrice } from '@tidemark/context';
import type { Usage } from '@tidemark/model';
import { Decimal } from 'decimal.js';
import type { DrivenCall, WarmCall } from './driving.ts';

/** Replayed call that did not read from the cache all tokens that earlier calls on its stream had sent. */
export interface ReplayMiss {
  readonly session: string;
  readonly step: number;
  readonly cause: MissCause;
  readonly tokens: number;
  /**
   * Cost of the lost tokens: (write − read) × tokens, with the multipliers for writing and reading. If the call wrote
   * nothing, it is (1 − read) × tokens.
   */
  readonly cost: number;
}

/** Replayed request that does not extend the previous request on the stream. */
export interface ReplayBreak {
  readonly session: string;
  readonly step: number;
  /** Cause of the epoch that opened with this request. Absent if no epoch explains the break. */
  readonly cause?: string;
  readonly tokens: number;
  readonly cost: number;
}

/** Cost that no engine could have avoided, by its cause, in units of the base input price. */
export type Forced = { readonly [cause: string]: Decimal };

/** Account of the calls that were replayed so far. */
export interface ReplayAccount {
  readonly calls: number;
  readonly refused: readonly { readonly session: string; readonly step: number; readonly reason: string }[];
  readonly bill: Bill;
  readonly forced: Forced;
  readonly breaks: readonly ReplayBreak[];
  readonly misses: readonly ReplayMiss[];
  /** Number of calls that kept the cache warm during pauses, and the part of the bill that they caused. */
  readonly warming: { readonly calls: number; readonly billed: Decimal };
}

/** Account without any calls. */
export const NO_ACCOUNT: ReplayAccount = {
  calls: 0,
  refused: [],
  bill: NO_BILL,
  forced: {},
  breaks: [],
  misses: [],
  warming: { calls: 0, billed: new Decimal(0) },
};

/** Causes of misses that are rules of the provider. No engine that sends the same context can avoid them. */
const PROVIDER_RULES: readonly MissCause[] = ['image', 'thinking-stripped', 'below-floor'];

/**
 * Returns the account with one more call. `labelled` is `undefined` if the request extends the previous one. Else it is
 * true if an epoch explains the break.
 */
export function addCall(
  account: ReplayAccount,
  session: string,
  call: DrivenCall,
  labelled: boolean | undefined,
): ReplayAccount {
  const calls = account.calls + 1;
  if (call.usage === undefined) {
    const refused = [...account.refused, { session, step: call.step, reason: call.refused ?? 'unknown' }];
    return { ...account, calls, refused };
  }
  const { unsent } = call.prepared.record.data.forecast;
  const { capabilities } = call.row;
  const billed = billOf({ capabilities, at: call.prepared.record.at, usage: call.usage, unsent, before: call.before });
  const lost = lossOf(call, call.usage);
  return {
    ...account,
    calls,
    bill: billed === undefined ? account.bill : addBills(account.bill, billed),
    forced: withForced(account.forced, lost, call),
    breaks: labelled === undefined ? account.breaks : [...account.breaks, breakOf(session, call, lost)],
    misses:
      lost.tokens === 0
        ? account.misses
        : [
            ...account.misses,
            { session, step: call.step, cause: lost.cause, tokens: lost.tokens, cost: lost.cost.toNumber() },
          ],
  };
}

/**
 * Returns the account with one more keep-warm call. The call is added to the bill, but not to the ideal cost, because
 * an ideal cache does not need such a call.
 */
export function addWarming(account: ReplayAccount, { prepared, usage }: WarmCall): ReplayAccount {
  const { capabilities, record } = prepared;
  const { billed } = billOf({ capabilities, at: record.at, usage, unsent: 0, before: undefined }) ?? NO_BILL;
  return {
    ...account,
    bill: { ...account.bill, billed: account.bill.billed.plus(billed) },
    warming: { calls: account.warming.calls + 1, billed: account.warming.billed.plus(billed) },
  };
}

interface ReplayLoss {
  readonly cause: MissCause;
  readonly tokens: number;
  readonly cost: Decimal;
}

/**
 * Returns the tokens that earlier calls had sent on this stream and that this call did not read from the cache, with
 * their cause and cost. The number is 0 for the first call of a stream.
 */
function lossOf(call: DrivenCall, usage: Usage): ReplayLoss {
  const { unsent } = call.prepared.record.data.forecast;
  const written = (usage.writes ?? []).reduce((sum, write) => sum + write.tokens, 0);
  const input = (usage.fresh ?? 0) + (usage.read ?? 0) + written;
  const tokens = call.before === undefined ? 0 : Math.max(0, input - unsent - (usage.read ?? 0));
  const price = unitPrice(call.row.capabilities, call.prepared.record.at, input);
  const rate = price === undefined ? undefined : ratesOf(price);
  // A call below the floor writes nothing, so its lost tokens are billed as fresh input.
  const paid = written === 0 ? 1 : rate?.write;
  const cost =
    rate === undefined || paid === undefined ? new Decimal(0) : new Decimal(paid).minus(rate.read).times(tokens);
  return {
    cause:
      call.prepared.outlook.gone === 'expired'
        ? 'expired'
        : call.prepared.opened !== undefined
          ? 'opened'
          : (call.prepared.outlook.loss?.cause ?? 'unknown'),
    tokens,
    cost,
  };
}

/**
 * Adds a loss to the forced costs if no engine could have avoided it, and returns these costs. This is so for a loss by
 * a rule of the provider, and for a break that an epoch explains. A loss whose entry had expired is not added.
 */
function withForced(forced: Forced, lost: ReplayLoss, call: DrivenCall): Forced {
  if (lost.tokens === 0) return forced;
  const cause =
    lost.cause === 'opened'
      ? call.prepared.opened?.data.cause
      : PROVIDER_RULES.includes(lost.cause)
        ? lost.cause
        : undefined;
  return cause === undefined ? forced : { ...forced, [cause]: (forced[cause] ?? new Decimal(0)).plus(lost.cost) };
}

function breakOf(session: string, call: DrivenCall, lost: ReplayLoss): ReplayBreak {
  const cause = call.prepared.opened?.data.cause;
  return defined({ session, step: call.step, cause, tokens: lost.tokens, cost: lost.cost.toNumber() });
}
