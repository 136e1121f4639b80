// Payloads of events about calls to a model: the decisions before sending, and the answers.

import type { AnswerPart, CacheWrite, Json, StopReason, Usage } from '@tidemark/core';
import type { CallId, Digest, Money, Position, SessionId } from '../ids.ts';
import type { ContentPart } from '../parts.ts';
import type { SharedEntry } from './shared-entry.ts';

/** Cache marker on one block of a request. `block` is the block's index in the provider's cache order. */
export interface MarkerRecord {
  readonly block: number;
  readonly ttl: CacheWrite['ttl'];
  /**
   * Running digest of the prefix sequence up to and including the marked block. It identifies the cache entry that ends
   * at this block.
   */
  readonly prefix: Digest;
}

/** Cache entries that a request reads and creates at a provider that caches without markers. */
export interface KeptRecord {
  /** Cache key that the entries are kept under. Absent if the request sends none. */
  readonly key?: string;
  /**
   * Lifetime of an entry in minutes. `idle` is the lifetime after its last use. `age` is the maximum lifetime in total,
   * if there is a maximum.
   */
  readonly idle: number;
  readonly age?: number;
  /**
   * Set if the provider caches prefixes of `first`, `first + step`, … tokens. The ends of blocks have no influence on
   * these sizes. At such a provider, writing to the cache is free.
   */
  readonly grid?: { readonly first: number; readonly step: number };
  /**
   * Places where cache entries end, in block order. These are the entries that are in the cache after the request, and
   * the entry that the request only reads. The latter has `found`. The last place without `found` belongs to the
   * longest entry after the request. Blocks with a marker are not listed.
   */
  readonly places: readonly KeptPlace[];
}

/** Place where one cache entry ends. The entry covers the prefix up to and including the block. */
export interface KeptPlace {
  readonly block: number;
  readonly prefix: Digest;
  /**
   * Set if the request only reads the entry that ends at this block. If that entry has expired, the request does not
   * write it again.
   */
  readonly found?: true;
}

/**
 * Tokens that a call is expected to read and write, and its expected cost. Tokens are estimates. `cost` is absent if
 * unknown.
 */
export interface CallForecast {
  readonly read: number;
  readonly write: number;
  readonly fresh: number;
  /**
   * Tokens of the request that were never sent before on this stream. For a side call, this also means the stream that
   * it continues from. An ideal cache would write exactly these tokens.
   */
  readonly unsent: number;
  /** Index of the last block that the call is expected to read. Absent if no read is expected. */
  readonly reads?: number;
  readonly cost?: Money;
  /**
   * Mean error of earlier estimates of whole requests, as a share of the counted tokens. Absent before the first
   * comparison with a count. Also absent if the size of this request is based on a count of the provider or of a
   * recording.
   */
  readonly error?: number;
  /**
   * Set if the caching rules of the provider are unknown. The numbers then assume no cache, and `cost` is an upper
   * bound.
   */
  readonly caching?: 'unknown';
}

/**
 * Expected input of a request in tokens, and the numbers that it is computed from. The estimate is made before the
 * provider counts the request.
 */
export interface SizeForecast {
  /**
   * Estimated input: `measured` plus the scaled `appended`. The scale is the ratio of counted to estimated tokens,
   * learned from earlier usage of the model.
   */
  readonly input: number;
  /**
   * Tokens whose number is known from a count: the input and the answer of the last accepted request, or the count of a
   * recording. 0 if there is no count.
   */
  readonly measured: number;
  /**
   * Estimated tokens of all content that `measured` does not contain, computed from its characters without scaling.
   * When the usage of the call arrives, it is compared with this estimate.
   */
  readonly appended: number;
  /**
   * Estimated tokens of all blocks of the request, computed in the same way as `appended`. Absent if a recording
   * contains the sizes of the blocks.
   */
  readonly whole?: number;
  /**
   * Estimated tokens of the blocks in `whole` that come after the last request that the provider counted. Absent if
   * this request changes the counted request and does not only extend it. This is the case after another packing, with
   * another model, or after thinking was stripped.
   */
  readonly since?: number;
  /**
   * Estimated tokens of the blocks with images. They are a part of `since`, or of `whole` if `since` is absent. They
   * are not scaled by the ratio for text. Absent if there are no such blocks.
   */
  readonly media?: number;
  /**
   * Mean error of earlier estimates of `appended`, as a share of the counted tokens. Absent before the first comparison
   * with a count.
   */
  readonly error?: number;
}

/**
 * Short form of the prefix sequence. A reader can use it to check that the next request extends this one (L3). The
 * reader does not need the request bodies.
 */
export interface SequenceRecord {
  /**
   * Digests of the render parameters, one for each section. A section's digest covers all parameters that the cache of
   * this section or of an earlier section depends on.
   */
  readonly parameters: { readonly tools: Digest; readonly system: Digest; readonly messages: Digest };
  readonly blocks: number;
  /** Running digest over all blocks. */
  readonly digest: Digest;
}

/**
 * All decisions about one request that cannot be derived from the history, and the digest of the request body (L2). The
 * body can be rebuilt byte for byte from the log up to and including this record.
 */
export interface RequestPrepared {
  readonly step: number;
  readonly attempt: number;
  readonly stream: string;
  readonly purpose: string;
  readonly epoch: number;
  /** Revision of the encoder that made the bytes, such as `anthropic-messages/1`. */
  readonly encoder: string;
  /**
   * Revision of the texts that this project adds to the context (notes, stubs, checkpoints). Absent means `render/1`.
   */
  readonly rendering?: string;
  readonly digest: Digest;
  /** Length of the body in bytes. */
  readonly bytes: number;
  readonly relation: 'opens' | 'inherits' | 'extends';
  readonly sequence: SequenceRecord;
  /** Content of this call only, placed after the history. */
  readonly extra?: readonly ContentPart[];
  /**
   * Part of the main history in the request. Absent means all of it. `none` means that the request contains only
   * `extra`.
   */
  readonly history?: 'none';
  readonly markers: readonly MarkerRecord[];
  readonly kept?: KeptRecord;
  readonly outputLimit: number;
  /** Values that vary by call and are not part of the prefix, such as `stream` and `metadata`. */
  readonly envelope: { readonly [name: string]: Json };
  readonly responseIds?: readonly string[];
  readonly betas?: readonly string[];
  /** Number of blocks in each section of the request. */
  readonly counts: { readonly tools: number; readonly system: number; readonly messages: number };
  readonly forecast: CallForecast;
  /**
   * Expected size of the input. It is set only for requests of the main stream. It is absent if the size is unknown.
   */
  readonly size?: SizeForecast;
  readonly mediaBytes?: number;
  /** Provider account that receives the request, as the provider names it. Absent if unknown. */
  readonly account?: string;
  /**
   * Shorter form of the same request, which continues from an earlier answer. It is sent instead of the whole request
   * if the provider still remembers that answer.
   */
  readonly continuation?: ContinuationRecord;
  /**
   * Cache entry that another session of the same root left, if it is longer than each entry that this session knows. The
   * forecast counts on it.
   */
  readonly cached?: SharedEntry;
}

/**
 * Request that continues from an earlier answer. It contains all parameters and tools, and only the content after that
 * answer.
 */
export interface ContinuationRecord {
  /** Provider's id of the earlier answer. */
  readonly response: string;
  /** Index of the first block of the whole request that the shorter request contains. */
  readonly from: number;
  readonly digest: Digest;
  /** Length of the shorter body, in bytes. */
  readonly bytes: number;
}

/**
 * Reason why tokens that were sent before were not read from the cache. `opened`: an epoch opened. `parameter`: a
 * setting that the cache depends on changed. `account`: another account was used. `expired`: the lifetime of the entry
 * ended. `evicted`: the provider dropped the entry before the end of its lifetime. `below-floor`: the prefix is too
 * short to be cached. `lookback`: the entry is further back than the provider searches. `racing`: the previous call had
 * not begun to answer. `overflow-routing`: too many calls a minute shared one cache key. `image`: an image was added or
 * removed, and the provider caches messages with images separately. `thinking-stripped`: the provider removed thinking
 * of earlier turns. `unknown`: there is no evidence for any other reason.
 */
export type MissCause =
  | 'expired'
  | 'evicted'
  | 'below-floor'
  | 'lookback'
  | 'racing'
  | 'overflow-routing'
  | 'image'
  | 'thinking-stripped'
  | 'parameter'
  | 'account'
  | 'opened'
  | 'unknown';

/**
 * Tokens that were sent before and had to be paid again. They were sent before on this stream, or at the same time on
 * another stream.
 */
export interface Miss {
  readonly cause: MissCause;
  /** Other causes. Each of them alone would also cause the miss. */
  readonly also?: readonly MissCause[];
  readonly tokens: number;
  readonly cost?: Money;
}

/** Provider's own report on how a request differs from an earlier request. */
export interface DiagnosisRecord {
  /**
   * `same`: the request only extends the earlier one. `hit`: the request was read from the cache. `miss`: the request
   * differs from the earlier one. `pending`: the result was not known when the answer was sent. `unknown-response`: the
   * provider does not remember the earlier request. `unavailable`: the provider cannot compare.
   */
  readonly found: 'same' | 'hit' | 'miss' | 'pending' | 'unknown-response' | 'unavailable';
  /** Provider's name for the difference between the requests. */
  readonly reason?: string;
  /** Tokens that could have been read from the cache, as the provider reports them. Set only for a `miss`. */
  readonly missed?: number;
}

/**
 * Estimated tokens and cost of a call whose usage the provider did not count completely. They are not added to sums of
 * counted tokens (L7).
 */
export interface EstimatedUse {
  /** Input tokens. Absent if the provider counted them, or if no estimate is known. */
  readonly input?: number;
  /** Output tokens. Absent if the provider counted them. */
  readonly output?: number;
  /** Upper bound of the cost, from counted and estimated tokens. Absent if a price is unknown. */
  readonly cost?: Money;
}

/**
 * Earlier record that already bills this call. In an import, a later record can repeat an earlier record. The later
 * record is a copy, or the rest of an answer that was cut.
 */
export interface BilledIn {
  readonly session: SessionId;
  readonly position: Position;
  /** Usage that the earlier record bills. The later record bills only the usage that exceeds it. */
  readonly usage: Usage;
}

/** Finished answer of one call. */
export interface AnswerReceived {
  readonly step: number;
  readonly stream: string;
  /**
   * Position of the request record that this answer belongs to. The record is a `request.prepared`, or a
   * `request.observed` in an import. Absent if the log has no such record.
   */
  readonly request?: Position;
  readonly provider: string;
  readonly model: string;
  readonly contract?: string;
  readonly parts: readonly AnswerPart<CallId>[];
  readonly stop: StopReason;
  /** Stop reason, unchanged from the provider. */
  readonly stopRaw?: string;
  readonly response?: string;
  readonly truncated: 'yes' | 'no' | 'unknown';
  readonly usage: Usage;
  /**
   * Earlier record that already bills the call or a part of it. Set only in an import. Absent if this record bills the
   * whole call.
   */
  readonly billed?: BilledIn;
  /** Time when the call was sent, if the log has no `request.prepared` for it. */
  readonly startedAt?: string;
  readonly prices?: string;
  readonly cost?: Money;
  /**
   * Upper bound of the cost, if the provider counted the total but did not report the buckets that decide the price.
   */
  readonly costAtMost?: Money;
  readonly estimated?: EstimatedUse;
  readonly transport?: {
    readonly kind: string;
    readonly continuation?: boolean;
    readonly reset?: string;
    readonly fallback?: string;
  };
  readonly forecast?: CallForecast;
  readonly miss?: Miss;
  /** Provider's comparison with an earlier request. Set if the request asked for it. */
  readonly diagnosis?: DiagnosisRecord;
}

/** Call that failed before any usable content arrived. */
export interface AnswerFailed {
  readonly step: number;
  readonly stream: string;
  readonly request?: Position;
  /**
   * Action after the failure. `retryable`: try again later. `compaction`: compact and try again. `refused`: report the
   * error to the user. `stop`: no retry or compaction helps.
   */
  readonly class: 'retryable' | 'compaction' | 'refused' | 'stop';
  readonly code: string;
  readonly message: string;
  readonly retry?: boolean;
  readonly usage?: Usage;
  readonly startedAt?: string;
}

/** Call that was interrupted, with the content that had arrived. */
export interface AnswerInterrupted {
  readonly step: number;
  readonly stream: string;
  readonly request?: Position;
  /**
   * Reason why the answer ended: the user stopped it, a limit of the turn was reached, or the connection to the
   * provider failed.
   */
  readonly by: 'user' | 'limit' | 'transport';
  /** Limit that ended the answer. Present if `by` is `limit`. */
  readonly limit?: 'time';
  readonly provider: string;
  readonly model: string;
  readonly parts: readonly AnswerPart<CallId>[];
  readonly usage?: Usage;
  readonly billed?: BilledIn;
  readonly prices?: string;
  readonly cost?: Money;
  /** Upper bound of the cost, as in `AnswerReceived`. */
  readonly costAtMost?: Money;
  readonly estimated?: EstimatedUse;
  readonly startedAt?: string;
  readonly message?: string;
}
