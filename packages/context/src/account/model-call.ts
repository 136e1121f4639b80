// One call to a model as its log tells it: what it used, what it could have read, and what became of what it wrote.

import type {
  CallForecast,
  EpochCause,
  EstimatedUse,
  MissCause,
  Money,
  SessionId,
  Timestamp,
  Usage,
} from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { allWritten } from '@tidemark/model';

/** Tokens that were sent before and were paid again. */
export interface PaidAgain {
  /** A change of ours by the name of its epoch. */
  readonly cause: EpochCause | MissCause;
  /** Other causes, each of which alone would have lost them. */
  readonly also?: readonly (EpochCause | MissCause)[];
  readonly tokens: number;
  /** Above reading them; absent when the price is unknown. */
  readonly cost?: Money;
}

/** One call to a model. An absent field is unknown. */
export interface ModelCall {
  readonly session: SessionId;
  readonly stream: string;
  readonly step: number;
  /** When it was sent. */
  readonly at: Timestamp;
  readonly provider: string;
  readonly model: string;
  readonly contract?: string;
  readonly usage: Usage;
  /** Of this usage, what another record bills: only the rest is in any sum, and the call is counted there. */
  readonly billed?: Usage;
  /** As it was recorded with the answer. */
  readonly cost?: Money;
  /** The most that it cost, where `cost` is not known. */
  readonly costAtMost?: Money;
  /** Its estimated use, where the provider did not count it. */
  readonly estimated?: EstimatedUse;
  /** The catalog row that prices it. */
  readonly row?: Capabilities;
  /** Tokens that the calls before it had left in the cache for it. */
  readonly held?: number;
  readonly again?: PaidAgain;
  /** Input tokens that were never sent before on this stream: an estimate. */
  readonly unsent?: number;
  readonly forecast?: CallForecast;
  /** Tokens it wrote that no later call can read any more, and those that one still could. */
  readonly unread: { readonly wasted: number; readonly waiting: number };
}

/** Ways to group calls. Each call is in exactly one group, so the groups sum to the whole. */
export type GroupBy = 'session' | 'day' | 'model' | 'contract' | 'cause';

/** By the UTC day on which a call was sent; by why it paid again, several causes joined. */
const NAMES: Readonly<Record<GroupBy, (call: ModelCall) => string | undefined>> = {
  session: (call) => call.session,
  day: (call) => call.at.slice(0, 10),
  model: (call) => call.model,
  contract: (call) => call.contract,
  cause: ({ again }) => again && [again.cause, ...(again.also ?? [])].join(' + '),
};

/** The group of a call; `undefined` where there is nothing to name: no contract, nothing paid again. */
export function groupOf(by: GroupBy, call: ModelCall): string | undefined {
  return NAMES[by](call);
}

/** Input tokens of a call, and those that came to another bucket than forecast, or to none; `undefined` when unknown. */
export function forecastError(
  call: Pick<ModelCall, 'usage' | 'forecast'>,
): { readonly calls: 1; readonly input: number; readonly off: number } | undefined {
  const { usage, forecast } = call;
  const { fresh, read } = usage;
  const written = allWritten(usage);
  // Where nobody knows how a provider caches, the forecast says what no cache would cost: it has no error to speak of.
  if (forecast === undefined || forecast.caching === 'unknown') return undefined;
  if (fresh === undefined || read === undefined || written === undefined) return undefined;
  const over = [fresh - forecast.fresh, read - forecast.read, written - forecast.write];
  const more = over.reduce((sum, one) => sum + Math.max(0, one), 0);
  const less = over.reduce((sum, one) => sum + Math.max(0, -one), 0);
  // A token that moved from one bucket to another counts once.
  return { calls: 1, input: fresh + read + written, off: Math.max(more, less) };
}
