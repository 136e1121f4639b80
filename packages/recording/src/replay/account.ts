// Account of a replay: the bill of the driven calls, the cost that could not be avoided, and the causes of the
// difference. All costs are in units of the base input price of the call's model.

import { defined } from '@tidemark/core';
import type { MissCause } from '@tidemark/log';
import type { Bill } from '@tidemark/context';
import { addBills, billOf, NO_BILL, ratesOf, unitPrice } from '@tidemark/context';
import type { Usage } from '@tidemark/model';
import { Decimal } from 'decimal.js';
import type { DrivenCall, WarmCall } from './driving.ts';

/** Driven call that read less than was sent before. */
export interface ReplayMiss {
  readonly session: string;
  readonly step: number;
  readonly cause: MissCause;
  readonly tokens: number;
  /** Cost of the lost tokens: (write − read) × tokens. Below the floor it is (1 − read) × tokens. */
  readonly cost: number;
}

/** Driven request that does not extend the one before it. */
export interface ReplayBreak {
  readonly session: string;
  readonly step: number;
  /** Cause of the epoch that opened. Absent if no epoch explains the break. */
  readonly cause?: string;
  readonly tokens: number;
  readonly cost: number;
}

/** Cost that no engine can avoid, by its cause. */
export type Forced = { readonly [cause: string]: Decimal };

/** Account so far. */
export interface ReplayAccount {
  readonly calls: number;
  readonly refused: readonly { readonly session: string; readonly step: number; readonly reason: string }[];
  readonly bill: Bill;
  readonly forced: Forced;
  readonly breaks: readonly ReplayBreak[];
  readonly misses: readonly ReplayMiss[];
  /** Calls that kept the cache warm during pauses, and their part of the bill. */
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

/** Returns the account with one more call. */
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
 * Returns the account with a keep-warm call. The call is billed, but it is not part of the ideal cost, because an ideal
 * cache does not need it.
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
 * Returns the tokens that were sent before on this stream and were not read from the cache, with their cause and cost.
 */
function lossOf(call: DrivenCall, usage: Usage): ReplayLoss {
  const { unsent } = call.prepared.record.data.forecast;
  const written = (usage.writes ?? []).reduce((sum, write) => sum + write.tokens, 0);
  const input = (usage.fresh ?? 0) + (usage.read ?? 0) + written;
  const tokens = call.before === undefined ? 0 : Math.max(0, input - unsent - (usage.read ?? 0));
  const price = unitPrice(call.row.capabilities, call.prepared.record.at, input);
  const rate = price === undefined ? undefined : ratesOf(price);
  // Below the floor nothing is written, so the lost tokens are billed as fresh input.
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
 * Adds the loss to the forced costs if its cause is a labelled break whose entry had not expired, or a rule of the
 * provider.
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
