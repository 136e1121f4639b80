// One call to a model, reconstructed from its log. It contains the usage, the tokens that the call could have read, and
// the written tokens that no call read.

import type {
  CallForecast,
  DiagnosisRecord,
  EpochCause,
  EstimatedUse,
  Money,
  Position,
  SessionId,
  Timestamp,
  Usage,
} from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import type { LossCause } from '../base/cause-words.ts';
import { allWritten } from '@tidemark/model';

/** Tokens that were sent before and were paid again, because the call did not read them from the cache. */
export interface PaidAgain {
  /**
   * Reason why the tokens were not read from the cache. If the front changed, this is the cause of the epoch that
   * changed it.
   */
  readonly cause: LossCause;
  /** Other causes. Each of them alone would also have prevented the read. */
  readonly also?: readonly LossCause[];
  /** Cause that the log and the counts show. Set only if the provider's diagnosis names another cause. */
  readonly counted?: LossCause;
  readonly tokens: number;
  /** Number of tokens that were read from the beginning of the request. Set only for imported calls. */
  readonly from?: number;
  /** Additional cost of the tokens, compared with reading them from the cache. Absent if the price is unknown. */
  readonly cost?: Money;
}

/** One call to a model. The value of an absent field is unknown. */
export interface ModelCall {
  readonly session: SessionId;
  readonly stream: string;
  readonly step: number;
  /** Time at which the request was sent. */
  readonly at: Timestamp;
  /** Time from the request to its answer in milliseconds. Absent if one of the two times is unknown. */
  readonly duration?: number;
  /** Position of the request record. Absent if the log has no such record. */
  readonly request?: Position;
  /**
   * Position of the record that ended the call. Absent for a call that was cut off or still runs, and for an event that
   * is not recorded.
   */
  readonly answer?: Position;
  /** Causes of the epoch that the call opened, most important first. Absent for other calls. */
  readonly opened?: readonly EpochCause[];
  readonly provider: string;
  readonly model: string;
  readonly contract?: string;
  readonly usage: Usage;
  /**
   * Part of `usage` that another record bills. That record counts the call. Only the usage that exceeds `billed` is
   * added to the sums.
   */
  readonly billed?: Usage;
  /** Cost as recorded with the answer. */
  readonly cost?: Money;
  /** Maximum cost, if `cost` is unknown. */
  readonly costAtMost?: Money;
  /** Estimated usage, if the provider did not count it. */
  readonly estimated?: EstimatedUse;
  /** Catalog row whose prices apply to the call. */
  readonly row?: Capabilities;
  /** Tokens that earlier calls had left in the cache for this call. */
  readonly held?: number;
  readonly again?: PaidAgain;
  /** Provider's own comparison of the request with an earlier request. */
  readonly diagnosis?: DiagnosisRecord;
  /** Estimated input tokens that were never sent before on this stream. */
  readonly unsent?: number;
  readonly forecast?: CallForecast;
  /**
   * Tokens that the call wrote and that were not yet read. `wasted`: no later call can read them. `waiting`: a later
   * call may still read them.
   */
  readonly unread: { readonly wasted: number; readonly waiting: number };
}

/**
 * Ways to group calls. `groupOf` puts each call into exactly one group, and this group may be `undefined`. The sums of
 * all groups therefore give the total.
 */
export type GroupBy = 'session' | 'day' | 'model' | 'contract' | 'cause';

/**
 * Returns the group of a call for each `GroupBy`. `day` is the UTC day on which the call was sent. `cause` joins all
 * causes for which the call paid tokens again.
 */
const NAMES: Readonly<Record<GroupBy, (call: ModelCall) => string | undefined>> = {
  session: (call) => call.session,
  day: (call) => call.at.slice(0, 10),
  model: (call) => call.model,
  contract: (call) => call.contract,
  cause: ({ again }) => again && [again.cause, ...(again.also ?? [])].join(' + '),
};

/**
 * Returns the name of a call's group. For `contract`, returns `undefined` if the call has no contract. For `cause`,
 * returns `undefined` if the call paid no tokens again.
 */
export function groupOf(by: GroupBy, call: ModelCall): string | undefined {
  return NAMES[by](call);
}

/**
 * Returns the input tokens of a call as `input`, and the tokens whose bucket differs from the forecast as `off`. If the
 * input is longer or shorter than forecast, the difference is included in `off`. Returns `undefined` if a bucket of the
 * usage is unknown or if there is no usable forecast.
 */
export function forecastError(
  call: Pick<ModelCall, 'usage' | 'forecast'>,
): { readonly calls: 1; readonly input: number; readonly off: number } | undefined {
  const { usage, forecast } = call;
  const { fresh, read } = usage;
  const written = allWritten(usage);
  // If the provider's cache rules are unknown, the forecast assumes no cache. A comparison with the usage then has no
  // meaning.
  if (forecast === undefined || forecast.caching === 'unknown') return undefined;
  if (fresh === undefined || read === undefined || written === undefined) return undefined;
  const over = [fresh - forecast.fresh, read - forecast.read, written - forecast.write];
  const more = over.reduce((sum, one) => sum + Math.max(0, one), 0);
  const less = over.reduce((sum, one) => sum + Math.max(0, -one), 0);
  // If a token moved from one bucket to another, it is counted only one time.
  return { calls: 1, input: fresh + read + written, off: Math.max(more, less) };
}
