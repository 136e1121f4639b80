// Result of a replay, in the form in which the CLI prints it.

import type { SessionId } from '@tidemark/log';
import { Decimal } from 'decimal.js';
import type { ReplayAccount, ReplayBreak, ReplayMiss } from './account.ts';
import type { RecordedAccount, RecordedMiss } from './recorded-account.ts';

/** Source of the block sizes in a replay. */
export type SizesTold = 'recorded totals' | 'estimates' | 'recorded totals, and estimates where there are none';

/** Result of a replay. Costs are in units of the base input price: 1 is one token read fresh. */
export interface ReplayResult {
  readonly calls: number;
  /** Sum of the input tokens of all replayed calls. */
  readonly tokens: number;
  readonly billed: number;
  readonly forced: number;
  /** Parts of `forced` by cause: breaks that an epoch explains, and rules of the provider. */
  readonly forcedBy: { readonly [cause: string]: number };
  /** Number of calls that kept the cache warm during pauses, and their part of `billed`. */
  readonly warming: { readonly calls: number; readonly billed: number };
  readonly ideal: number;
  readonly expiring: number;
  readonly uncached: number;
  /** Ratio (billed − forced) / ideal. `null` if the ideal cost is 0. */
  readonly ratio: number | null;
  readonly expiringRatio: number | null;
  readonly recorded: { readonly billed: number; readonly ideal: number; readonly misses: readonly RecordedMiss[] };
  readonly recordedRatio: number | null;
  readonly breaks: { readonly labelled: number; readonly unlabelled: number; readonly list: readonly ReplayBreak[] };
  readonly misses: readonly ReplayMiss[];
  readonly refused: number;
  readonly refusals: ReplayAccount['refused'];
  readonly sizes: SizesTold;
  /** Models that were replayed with the catalog row of another model (`as`). */
  readonly standIns: readonly { readonly model: string; readonly as: string }[];
  /** Names of the replayed sessions in the target log. */
  readonly sessions: readonly SessionId[];
}

/** Values from which a result is made. */
export interface ReplayFindings {
  readonly account: ReplayAccount;
  readonly recorded: RecordedAccount;
  /** Model whose catalog row was used, by the name of the recorded model. */
  readonly standIns: ReadonlyMap<string, string>;
  readonly sessions: readonly SessionId[];
  /** Number of calls whose input size is estimated, because the recording does not contain it. */
  readonly untold: number;
}

/** Returns the result. Each list in the result is in the order of the sessions. */
export function resultOf({ account, recorded, standIns, sessions, untold }: ReplayFindings): ReplayResult {
  const { bill, calls } = account;
  const places = new Map<string, number>(sessions.map((session, place) => [session, place]));
  const inOrder = <T extends { readonly session: string }>(list: readonly T[]): readonly T[] =>
    list.toSorted((a, b) => (places.get(a.session) ?? 0) - (places.get(b.session) ?? 0));
  const forced = Object.values(account.forced).reduce((sum, cost) => sum.plus(cost), new Decimal(0));
  const unlabelled = account.breaks.filter((one) => one.cause === undefined).length;
  return {
    calls,
    tokens: bill.tokens,
    billed: roundDecimal(bill.billed),
    forced: roundDecimal(forced),
    forcedBy: Object.fromEntries(Object.entries(account.forced).map(([cause, cost]) => [cause, roundDecimal(cost)])),
    warming: { calls: account.warming.calls, billed: roundDecimal(account.warming.billed) },
    ideal: roundDecimal(bill.ideal),
    expiring: roundDecimal(bill.expiring),
    uncached: roundDecimal(bill.uncached),
    ratio: over(bill.billed.minus(forced), bill.ideal),
    expiringRatio: over(bill.billed.minus(forced), bill.expiring),
    recorded: {
      billed: roundDecimal(recorded.billed),
      ideal: roundDecimal(recorded.ideal),
      misses: inOrder(recorded.misses),
    },
    recordedRatio: over(recorded.billed, recorded.ideal),
    breaks: { labelled: account.breaks.length - unlabelled, unlabelled, list: inOrder(account.breaks) },
    misses: inOrder(account.misses),
    refused: account.refused.length,
    refusals: inOrder(account.refused),
    sizes:
      untold === 0
        ? 'recorded totals'
        : untold === calls
          ? 'estimates'
          : 'recorded totals, and estimates where there are none',
    standIns: [...standIns].map(([model, as]) => ({ model, as })),
    sessions,
  };
}

function roundDecimal(value: Decimal): number {
  return value.toDecimalPlaces(3).toNumber();
}

function over(a: Decimal, b: Decimal): number | null {
  return b.isZero() ? null : a.div(b).toDecimalPlaces(4).toNumber();
}
