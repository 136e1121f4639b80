// Facts about calls to a model and to tools: what was decided before sending, what came back, how each call closed.

import type { AnswerPart, CacheWrite, Json, StopReason, Usage } from '@tidemark/core';
import type { CallId, Digest, Money, Position, SessionId } from '../ids.ts';
import type { ContentPart } from '../parts.ts';

/** A cache marker: on the block at this index of the request, in the provider's cache order. */
export interface MarkerRecord {
  readonly block: number;
  readonly ttl: CacheWrite['ttl'];
  /** Running digest of the prefix sequence up to and including that block: names the entry that is written there. */
  readonly prefix: Digest;
}

/** Where a request finds and leaves entries that the provider keeps by itself. */
export interface KeptRecord {
  /** The cache key that they are kept under; absent where none is sent. */
  readonly key?: string;
  /** Minutes that an entry lives: from its last use, and in all where that has an end. */
  readonly idle: number;
  readonly age?: number;
  /** Set where entries are of `first`, `first + step`, ... tokens, whatever the block, and writing is free. */
  readonly grid?: { readonly first: number; readonly step: number };
  /** In block order; the last is the longest that this request leaves. */
  readonly places: readonly KeptPlace[];
}

/** One of them: the prefix up to and including a block. */
export interface KeptPlace {
  readonly block: number;
  readonly prefix: Digest;
  /** It is read there and not written: nobody keeps it anew where it is gone. */
  readonly found?: true;
}

/** What a call is expected to read, write and cost. Tokens are estimates; `cost` is absent when unknown. */
export interface CallForecast {
  readonly read: number;
  readonly write: number;
  readonly fresh: number;
  /**
   * Of all that is sent, what was never sent before on this stream, or on the one that a side call goes on from: what an
   * ideal cache would write.
   */
  readonly unsent: number;
  /** Index of the block that the expected read ends with; absent where nothing is expected to be read. */
  readonly reads?: number;
  readonly cost?: Money;
  /**
   * How far off estimates of whole requests have been, as a share; absent before the first comparison, and where what was
   * counted stands for the blocks of this one.
   */
  readonly error?: number;
  /** How the provider caches is not known: the numbers are those of no cache, and the cost is the most that it can be. */
  readonly caching?: 'unknown';
}

/** The input of a request in tokens before anybody counted it, and what that rests on. */
export interface SizeForecast {
  /** The estimate: what was counted, and the rest on the scale that the model's usage has taught. */
  readonly input: number;
  /** Counted with the last accepted request: its input and its answer. 0 where nothing was. */
  readonly measured: number;
  /** The rest, as its characters tell it, before any scale: what usage is then held against. */
  readonly appended: number;
  /** All blocks of the request, estimated as `appended` is; absent where a recording told their sizes. */
  readonly whole?: number;
  /**
   * Of `whole`, the blocks behind the last counted request. Absent where that request is not the beginning of this one as it
   * was counted: after another packing, with another model, after thinking was stripped.
   */
  readonly since?: number;
  /** Of `since`, or else of `whole`, the blocks with images, which no ratio of words scales. Absent is none. */
  readonly media?: number;
  /** How far off estimates of the rest have been, as a share of it; absent before the first comparison. */
  readonly error?: number;
}

/** The prefix sequence in short: enough to see, without bytes, whether the next request extends this one (L3). */
export interface SequenceRecord {
  /** Digests of the render parameters that the cache of each section depends on, those of the sections before included. */
  readonly parameters: { readonly tools: Digest; readonly system: Digest; readonly messages: Digest };
  readonly blocks: number;
  /** Running digest over all blocks. */
  readonly digest: Digest;
}

/**
 * Every decision about one request that history does not hold, and the digest of its body (L2). With the log up to and
 * including this record the body can be rebuilt byte for byte.
 */
export interface RequestPrepared {
  readonly step: number;
  readonly attempt: number;
  readonly stream: string;
  readonly purpose: string;
  readonly epoch: number;
  /** The encoder revision that made the bytes: `anthropic-messages/1`. */
  readonly encoder: string;
  /** The revision of this project's own words in the context (notes, stubs, checkpoints): `render/1`, which absent means. */
  readonly rendering?: string;
  readonly digest: Digest;
  /** Length of the body in bytes. */
  readonly bytes: number;
  readonly relation: 'opens' | 'inherits' | 'extends';
  readonly sequence: SequenceRecord;
  /** Content for this call alone, behind the history. */
  readonly extra?: readonly ContentPart[];
  /** What of the main history the request holds: all of it, which absent means, or nothing but `extra`. */
  readonly history?: 'none';
  readonly markers: readonly MarkerRecord[];
  readonly kept?: KeptRecord;
  readonly outputLimit: number;
  /** What varies by call and is no part of the prefix: `stream`, `metadata`. */
  readonly envelope: { readonly [name: string]: Json };
  readonly responseIds?: readonly string[];
  readonly betas?: readonly string[];
  /** Blocks per section of the request. */
  readonly counts: { readonly tools: number; readonly system: number; readonly messages: number };
  readonly forecast: CallForecast;
  /** How large its input was expected to be, of the main stream; absent where that is unknown. */
  readonly size?: SizeForecast;
  readonly mediaBytes?: number;
  /** The account that is asked, by the name that its provider gives it; absent where it is not known. */
  readonly account?: string;
  /** The same request in its other form, which goes out where the provider still knows the answer that it goes on from. */
  readonly continuation?: ContinuationRecord;
}

/** A request as one that goes on from an earlier answer: all parameters and tools, and what stands behind that answer. */
export interface ContinuationRecord {
  /** The provider's id of that answer. */
  readonly response: string;
  /** Index of the first block that it holds. */
  readonly from: number;
  readonly digest: Digest;
  /** Length of its body in bytes. */
  readonly bytes: number;
}

/** Why tokens that were sent before were not read from the cache. */
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

/** Tokens that were sent before, on this stream or at the same time by another, and had to be paid again. */
export interface Miss {
  readonly cause: MissCause;
  /** Other causes, each of which alone would have lost them. */
  readonly also?: readonly MissCause[];
  readonly tokens: number;
  readonly cost?: Money;
}

/** What the provider itself says of a request, compared with the one before it. */
export interface DiagnosisRecord {
  /**
   * `same`: it only grew. `hit`: the cache served it. `miss`: it changed. `pending`: not known when the answer was sent.
   * `unknown-response`: the provider does not remember the one before. `unavailable`: it cannot tell.
   */
  readonly found: 'same' | 'hit' | 'miss' | 'pending' | 'unknown-response' | 'unavailable';
  /** The provider's own word for what changed. */
  readonly reason?: string;
  /** Tokens that it says could have been read. */
  readonly missed?: number;
}

/** The estimated use of a call that the provider did not count (L7: in no sum of counts). */
export interface EstimatedUse {
  /** Input tokens; absent where they were counted, or where no estimate is known. */
  readonly input?: number;
  /** Output tokens; absent where they were counted. */
  readonly output?: number;
  /** What counts and estimates together cost at most; absent where a price is unknown. */
  readonly cost?: Money;
}

/** The record that bills a call of an import which this one holds again: a copy, or the rest of a cut answer. */
export interface BilledIn {
  readonly session: SessionId;
  readonly position: Position;
  /** What that record bills. Of this one only what goes beyond it is billed. */
  readonly usage: Usage;
}

/** The finished answer of one call. */
export interface AnswerReceived {
  readonly step: number;
  readonly stream: string;
  /** The `request.prepared` it answers; absent in an import. */
  readonly request?: Position;
  readonly provider: string;
  readonly model: string;
  readonly contract?: string;
  readonly parts: readonly AnswerPart<CallId>[];
  readonly stop: StopReason;
  /** The provider's own word for it. */
  readonly stopRaw?: string;
  readonly response?: string;
  readonly truncated: 'yes' | 'no' | 'unknown';
  readonly usage: Usage;
  /** Of an import: absent where this record itself bills the call. */
  readonly billed?: BilledIn;
  /** When the call was sent, where the log holds no request of it. */
  readonly startedAt?: string;
  readonly prices?: string;
  readonly cost?: Money;
  /** The most that the call cost, where its total was counted and the buckets that set the price were not told. */
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
  /** Where a comparison was asked for. */
  readonly diagnosis?: DiagnosisRecord;
}

/** A call that failed before anything usable arrived. */
export interface AnswerFailed {
  readonly step: number;
  readonly stream: string;
  readonly request?: Position;
  /** By what to do next. */
  readonly class: 'retryable' | 'compaction' | 'refused' | 'stop';
  readonly code: string;
  readonly message: string;
  readonly retry?: boolean;
  readonly usage?: Usage;
  readonly startedAt?: string;
}

/** A call that was cut: what had arrived. */
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

/** What a tool can do. */
export type EffectClass = 'none' | 'read' | 'write' | 'execute' | 'network';

/** `tool.started`. */
export interface ToolStarted {
  readonly call: CallId;
  readonly name: string;
  readonly effect: EffectClass;
}

/** How much of a tool's output is inline. */
export interface Shaping {
  readonly by: string;
  readonly kept: number;
  readonly total: number;
  readonly unit: 'bytes' | 'lines' | 'characters';
}

/** A file as a tool met it: what it held when it was read, or when it was written. */
export interface FileTouch {
  /** Absolute, after resolving symlinks. */
  readonly path: string;
  /** SHA-256 of its bytes then; absent when it is gone. */
  readonly digest?: Digest;
  readonly as: 'read' | 'written' | 'removed';
}

/** `tool.returned` and `tool.failed`. */
export interface ToolEnded {
  readonly call: CallId;
  readonly parts: readonly ContentPart[];
  readonly output?: Digest;
  readonly shaping?: Shaping;
  readonly exit?: number;
  readonly durationMs?: number;
  /** Files that the call read or changed through a tool that knows: staleness, instructions and summaries rest on it. */
  readonly files?: readonly FileTouch[];
}

/** `tool.abandoned`: packed as an error result, so that the history stays closed. */
export interface ToolAbandoned {
  readonly call: CallId;
  /** `unstarted`: whatever ended the turn, this call had not begun. */
  readonly reason: 'interrupted' | 'unstarted' | 'crashed' | 'denied' | 'unavailable' | 'cut';
}

/** `permission.decided`. */
export interface PermissionDecided {
  readonly call: CallId;
  readonly decision: 'allowed' | 'denied';
  readonly by: 'rule' | 'person';
  readonly rule?: string;
  /** The grant that the person gave beyond this call. It lasts as long as the session, unless `kept`; a fork or a child has none of it. */
  readonly always?: Granted;
  /** `project`: the grant is kept in the user's home for later sessions of the workspace, and this session holds no copy of it. */
  readonly kept?: 'project';
  /** SHA-256 of the preview that the person answered. Absent when no person was asked. */
  readonly shown?: Digest;
}

/** What one tool may do without a question. A call is covered when each thing that it does is listed here. */
export interface Granted {
  readonly tool: string;
  /** Commands word by word. */
  readonly commands?: readonly (readonly string[])[];
  /** Command patterns as a rule that allows has them: `npm test *`. */
  readonly patterns?: readonly string[];
  /** Files from the workspace on, parted by `/`, whatever content they get. */
  readonly paths?: readonly string[];
  /** Folders from the workspace on, without a slash at the end: every file below them, whatever content it gets. */
  readonly folders?: readonly string[];
  readonly hosts?: readonly string[];
}
