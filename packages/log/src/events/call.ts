// Payloads of events about calls to a model and to tools: the decisions before sending, the answers, and how each tool
// call ended.

import type { AnswerPart, CacheWrite, Json, StopReason, Usage } from '@tidemark/core';
import type { CallId, Digest, Money, Position, SessionId } from '../ids.ts';
import type { ContentPart } from '../parts.ts';

/** Cache marker on one block of a request. `block` is the block's index in the provider's cache order. */
export interface MarkerRecord {
  readonly block: number;
  readonly ttl: CacheWrite['ttl'];
  /**
   * Running digest of the prefix sequence up to and including the marked block. It identifies the cache entry that is
   * written there.
   */
  readonly prefix: Digest;
}

/** Cache entries that a request reads and leaves at a provider that caches without markers. */
export interface KeptRecord {
  /** Cache key that the entries are kept under. Absent if the request sends none. */
  readonly key?: string;
  /** Lifetime of an entry in minutes: `idle` after its last use and, if there is a limit, `age` in total. */
  readonly idle: number;
  readonly age?: number;
  /**
   * Set if the provider caches prefixes of `first`, `first + step`, … tokens independent of block ends. Writing is free
   * then.
   */
  readonly grid?: { readonly first: number; readonly step: number };
  /** Places of entries, in block order. The last is the longest entry that this request leaves. */
  readonly places: readonly KeptPlace[];
}

/** Place of one entry: it covers the prefix up to and including the block. */
export interface KeptPlace {
  readonly block: number;
  readonly prefix: Digest;
  /** Set if the entry is only read there. The request does not write it again if it has expired. */
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
   * Tokens of the request that were never sent before on this stream, or on the stream that a side call continues from.
   * An ideal cache would write exactly these.
   */
  readonly unsent: number;
  /** Index of the last block of the expected read. Absent if no read is expected. */
  readonly reads?: number;
  readonly cost?: Money;
  /**
   * Mean error of earlier estimates of whole requests, as a share. Absent before the first comparison, and if the size
   * of this request rests on a provider's or a recording's count.
   */
  readonly error?: number;
  /**
   * Set if the caching rules of the provider are unknown. The numbers then assume no cache, and `cost` is an upper
   * bound.
   */
  readonly caching?: 'unknown';
}

/**
 * Expected input of a request in tokens before the provider counts it, and the numbers that the estimate is made of.
 */
export interface SizeForecast {
  /** Estimated input: `measured` plus `appended` scaled by the ratio learned from the model's usage. */
  readonly input: number;
  /**
   * Counted tokens that the request extends: input and answer of the last accepted request, or what a recording
   * counted. 0 if there is no count.
   */
  readonly measured: number;
  /**
   * Estimate of all other content from its characters, without scaling. The counted usage is later compared with it.
   */
  readonly appended: number;
  /** Estimate of all blocks of the request, made like `appended`. Absent if a recording contains their sizes. */
  readonly whole?: number;
  /**
   * Estimated tokens of the blocks of `whole` after the last counted request. Absent if this request does not extend
   * that one as it was counted: after another packing, with another model, or after thinking was stripped.
   */
  readonly since?: number;
  /**
   * Tokens of the blocks with images within `since`, or within `whole` if `since` is absent. They are not scaled by the
   * ratio for text. Absent means none.
   */
  readonly media?: number;
  /** Mean error of earlier estimates of `appended`, as a share of it. Absent before the first comparison. */
  readonly error?: number;
}

/**
 * Short form of the prefix sequence. It is enough to check, without the bytes, that the next request extends this one
 * (L3).
 */
export interface SequenceRecord {
  /**
   * Digests of the render parameters that the cache of each section depends on, including those of the sections before
   * it.
   */
  readonly parameters: { readonly tools: Digest; readonly system: Digest; readonly messages: Digest };
  readonly blocks: number;
  /** Running digest over all blocks. */
  readonly digest: Digest;
}

/**
 * All decisions about one request that the history does not contain, and the digest of the request body (L2). The body
 * can be rebuilt byte for byte from the log up to and including this record.
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
  /** Expected size of the input, for a request of the main stream. Absent if unknown. */
  readonly size?: SizeForecast;
  readonly mediaBytes?: number;
  /** Provider account that receives the request, by the provider's name for it. Absent if unknown. */
  readonly account?: string;
  /** Alternative form of the same request, sent if the provider still remembers the answer that it continues from. */
  readonly continuation?: ContinuationRecord;
}

/**
 * Request that continues from an earlier answer. It contains all parameters and tools, and only the content after that
 * answer.
 */
export interface ContinuationRecord {
  /** Provider's id of the earlier answer. */
  readonly response: string;
  /** Index of the first block that this form contains. */
  readonly from: number;
  readonly digest: Digest;
  /** Length of its body in bytes. */
  readonly bytes: number;
}

/** Reason why tokens that were sent before were not read from the cache. */
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

/** Tokens that had to be paid again although they were sent before, on this stream or at the same time on another. */
export interface Miss {
  readonly cause: MissCause;
  /** Other causes, each of which alone would have caused the miss. */
  readonly also?: readonly MissCause[];
  readonly tokens: number;
  readonly cost?: Money;
}

/** Provider's own report on how a request differs from the one before it. */
export interface DiagnosisRecord {
  /**
   * `same`: the request only grew. `hit`: it was read from the cache. `miss`: it changed. `pending`: the result was not
   * known when the answer was sent. `unknown-response`: the provider does not remember the request before.
   * `unavailable`: the provider cannot compare.
   */
  readonly found: 'same' | 'hit' | 'miss' | 'pending' | 'unknown-response' | 'unavailable';
  /** Provider's own name for the change. */
  readonly reason?: string;
  /** Tokens that could have been read, as the provider reports. */
  readonly missed?: number;
}

/**
 * Estimated tokens and cost of a call that the provider did not count. They are not added to sums of counted tokens
 * (L7).
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
 * Record that already bills this call. In an import, a later record can repeat an earlier one, as a copy or as the rest
 * of an answer that was cut.
 */
export interface BilledIn {
  readonly session: SessionId;
  readonly position: Position;
  /** Usage that the earlier record bills. This record is billed only for usage above it. */
  readonly usage: Usage;
}

/** Finished answer of one call. */
export interface AnswerReceived {
  readonly step: number;
  readonly stream: string;
  /** Position of the `request.prepared` that it answers. Absent in an import. */
  readonly request?: Position;
  readonly provider: string;
  readonly model: string;
  readonly contract?: string;
  readonly parts: readonly AnswerPart<CallId>[];
  readonly stop: StopReason;
  /** Stop reason in the provider's own words. */
  readonly stopRaw?: string;
  readonly response?: string;
  readonly truncated: 'yes' | 'no' | 'unknown';
  readonly usage: Usage;
  /** Set in an import if another record bills the call. Absent if this record bills it. */
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
  /** Set if the request asked the provider for a comparison. */
  readonly diagnosis?: DiagnosisRecord;
}

/** Call that failed before any usable content arrived. */
export interface AnswerFailed {
  readonly step: number;
  readonly stream: string;
  readonly request?: Position;
  /** Error class, by what to do next. */
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
  readonly by: 'user' | 'transport';
  readonly provider: string;
  readonly model: string;
  readonly parts: readonly AnswerPart<CallId>[];
  readonly usage?: Usage;
  readonly billed?: BilledIn;
  readonly prices?: string;
  readonly cost?: Money;
  /** As in `AnswerReceived`. */
  readonly costAtMost?: Money;
  readonly estimated?: EstimatedUse;
  readonly startedAt?: string;
  readonly message?: string;
}

/** Effects that a tool can have. */
export type EffectClass = 'none' | 'read' | 'write' | 'execute' | 'network';

/** Payload of `tool.started`. */
export interface ToolStarted {
  readonly call: CallId;
  readonly name: string;
  readonly effect: EffectClass;
}

/** Record of how much of a tool's output is inline in the context. */
export interface Shaping {
  readonly by: string;
  readonly kept: number;
  readonly total: number;
  readonly unit: 'bytes' | 'lines' | 'characters';
}

/** File that a tool read, wrote or removed, with the digest of its content at that time. */
export interface FileTouch {
  /** Absolute path, with symlinks resolved. */
  readonly path: string;
  /** SHA-256 of the file's bytes when it was read or written. Absent if the file was removed. */
  readonly digest?: Digest;
  readonly as: 'read' | 'written' | 'removed';
}

/** Payload of `tool.returned` and `tool.failed`. */
export interface ToolEnded {
  readonly call: CallId;
  readonly parts: readonly ContentPart[];
  readonly output?: Digest;
  readonly shaping?: Shaping;
  readonly exit?: number;
  readonly durationMs?: number;
  /**
   * Files that the call read or changed. Only tools that know their files report them. Checks for stale files, project
   * instructions and summaries use them.
   */
  readonly files?: readonly FileTouch[];
}

/** Payload of `tool.abandoned`. The call is packed with an error result, so the history stays closed. */
export interface ToolAbandoned {
  readonly call: CallId;
  /** Reason why the call has no result. `unstarted`: the turn ended for any reason before the call began. */
  readonly reason: 'interrupted' | 'unstarted' | 'crashed' | 'denied' | 'unavailable' | 'cut';
}

/** Payload of `permission.decided`. */
export interface PermissionDecided {
  readonly call: CallId;
  readonly decision: 'allowed' | 'denied';
  readonly by: 'rule' | 'person';
  readonly rule?: string;
  /**
   * Permission that the person granted beyond this call. It lasts for the session, unless `kept` is set. Forks and
   * subagents do not inherit it.
   */
  readonly always?: Granted;
  /**
   * `project`: the permission is stored in the user's home for later sessions of the workspace. This session then has
   * no copy of its own.
   */
  readonly kept?: 'project';
  /** SHA-256 of the preview that the person answered. Absent if no person was asked. */
  readonly shown?: Digest;
}

/** Actions that one tool may do without asking. A call is covered if every action of the call is listed here. */
export interface Granted {
  readonly tool: string;
  /** Allowed commands, each as a list of words. */
  readonly commands?: readonly (readonly string[])[];
  /** Allowed command patterns, in the form of an allow rule: `npm test *`. */
  readonly patterns?: readonly string[];
  /** Allowed files with any content, as paths relative to the workspace, separated by `/`. */
  readonly paths?: readonly string[];
  /**
   * Allowed folders relative to the workspace, without a trailing slash. Every file below them is allowed with any
   * content.
   */
  readonly folders?: readonly string[];
  readonly hosts?: readonly string[];
}
