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

/** See the head of this file. Absent is unknown. */
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
