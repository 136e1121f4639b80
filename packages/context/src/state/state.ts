// State of the fold: everything that a request depends on, as an immutable value. It can be deleted and derived again
// from the log (L9).

import type {
  AnswerReceived,
  BlockQuarantined,
  Digest,
  EpochOpened,
  HistoryCompacted,
  HistoryPruned,
  Position,
  PressureCrossed,
  PrunedResult,
  RenderParameters,
  RequestPrepared,
  SessionId,
  Timestamp,
  ToolRecord,
} from '@tidemark/log';
import type { CallPart, ChangePart, ImagePart, Section, Span, TextPart, Ttl } from '@tidemark/model';
import type { AppendOnly } from '../base/append-only.ts';
import { appendOnly } from '../base/append-only.ts';
import type { Pace, Pauses } from './call-times.ts';
import { NO_PACE } from './call-times.ts';
import type { Learnt, Scales } from './scales.ts';

/** State after the first `length` records of a log. */
export interface State {
  /**
   * Session that the next records belong to. In a fork, the first records belong to the parent, and the records after
   * the child's own `session.created` belong to the child.
   */
  readonly session: SessionId | undefined;
  readonly root: SessionId | undefined;
  readonly workspace: string | undefined;
  /** Position of this session's own `session.created`. In a fork, this record comes after the parent's records. */
  readonly createdAt: Position | undefined;
  readonly length: number;
  readonly epoch: Epoch | undefined;
  readonly history: History;
  /** Main stream, and side streams with a call in flight. */
  readonly streams: { readonly [name: string]: Stream };
  readonly cache: Cache;
  readonly pace: Pace;
  /** Ratios of each model, learnt from the usage of answered calls. */
  readonly ratios: { readonly [model: string]: Learnt };
  /** Ratios of tokens to estimates for each text that the provider counted. Absent before the first count. */
  readonly scales: Scales | undefined;
  /**
   * Last token count that does not belong to the stream's last accepted request. It belongs to an answer in an imported
   * session, or to the request before a call that was cut.
   */
  readonly counted?: RequestCount;
  /** Highest tier that was reported after the current checkpoint came into use. */
  readonly pressure: Crossed | undefined;
  /** Number of answered steps on the main stream. It is also the number of the next step. */
  readonly steps: number;
  /** Latest compaction. Its checkpoint waits for an epoch, or is already in use. */
  readonly compacted: Compacted | undefined;
  /** Blocks that a provider rejected, in recorded order. Each takes effect with the first epoch that names it. */
  readonly quarantines: readonly Quarantine[];
  /** Batches of results to shorten, in recorded order. Each batch takes effect with the first epoch that names it. */
  readonly prunings: readonly Pruning[];
  /** Number of quarantines and prunings that no epoch has named yet. */
  readonly waiting: { readonly quarantines: number; readonly prunings: number };
  /** Recorded ids of calls whose results are skill bodies. These results are never shortened. */
  readonly skillCalls: ReadonlySet<string>;
  /** Positions at which turns started. */
  readonly turns: AppendOnly<Position>;
  /** The open turn, or `undefined` between turns. */
  readonly turn: { readonly startedAt: Position } | undefined;
  /** Positions of the prompts given in the open turn, or in the last turn if that turn did not complete. */
  readonly directives: AppendOnly<Position>;
  /** Records that the fold ignored because they are invalid. They are reported, never packed. */
  readonly problems: AppendOnly<FoldProblem>;
  /** First record of a kind that this version does not know. A session with such a record can be shown, but not run. */
  readonly unknown: { readonly name: string; readonly position: Position } | undefined;
}

/** Current epoch, with the values that changed since it opened. */
export interface Epoch {
  readonly position: Position;
  readonly opened: EpochOpened;
  /**
   * Position of the last epoch that edited content sent before, in the front or the history. A changed parameter alone
   * does not count as an edit.
   */
  readonly edited: Position;
  /**
   * Positions of shortened results. When this epoch opened, no accepted request had contained these results in
   * shortened form.
   */
  readonly shortened: ReadonlySet<number>;
  readonly inForce: InForce;
}

/**
 * Current values of the settings that can change inside an epoch. A value comes from the front of the epoch, or from a
 * change that was appended later.
 */
export interface InForce {
  /** Tools that the model is offered, ordered by name. */
  readonly tools: readonly ToolRecord[];
  readonly parameters: RenderParameters;
  /** Digest of the agent's own system text, if there is one. */
  readonly role: Digest | undefined;
  /** Latest definition of each tool name. A removed tool keeps its definition. */
  readonly defined: ReadonlyMap<string, Digest>;
  /** Tool list that waits for the next epoch. `undefined` if no list waits. */
  readonly queued: readonly ToolRecord[] | undefined;
  /**
   * True if one of these values comes from an appended change and not from the front. The change may be packed or still
   * waiting.
   */
  readonly appended: boolean;
}

/** Latest recorded compaction. */
export interface Compacted {
  readonly position: Position;
  /** Session whose log contains the record. A fork may take up a compaction that its parent recorded. */
  readonly session: SessionId;
  readonly data: HistoryCompacted;
}

/** A block that a provider rejected. */
export interface Quarantine {
  /** Position of the `block.quarantined` record. */
  readonly position: Position;
  readonly origin: BlockQuarantined['origin'];
  readonly stub: string;
}

/** One recorded batch of results to shorten. */
export interface Pruning extends Pick<HistoryPruned, 'cause' | 'tier'> {
  readonly position: Position;
  readonly results: readonly PrunedResult[];
}

/** History in settled order, and the facts that are not settled yet. */
export interface History {
  /** Packed spans, in order. The list is replaced only when an epoch repacks. */
  readonly packed: AppendOnly<Span>;
  /** Number of spans at the beginning of `packed` that replace dropped spans: 1 after a checkpoint, otherwise 0. */
  readonly lead: number;
  /** Number of spans settled so far, including dropped ones. It is the ordinal of the next span. */
  readonly settled: number;
  /** Last answer, while one of its calls is open. Otherwise `undefined`. */
  readonly batch: AnswerBatch | undefined;
  /** True while a request of the main stream is in flight. */
  readonly inFlight: boolean;
  readonly notes: readonly WaitingSpan[];
  readonly prompts: readonly WaitingSpan[];
  /** Changes of tools, reasoning or role that wait to be packed. */
  readonly changes: readonly WaitingChange[];
  /**
   * Position of the answer in which each packed call id was first used. Like `packed`, the map is shared with later
   * states of the same history.
   */
  readonly calls: Map<string, number>;
}

/** An answer, its calls, and their closing events so far. */
export interface AnswerBatch {
  readonly position: Position;
  readonly session: SessionId;
  readonly answer: AnswerReceived;
  readonly calls: readonly CallPart[];
  /** Closing of each call, by the recorded id. */
  readonly closed: ReadonlyMap<string, CallClosing>;
}

/** Result or failure that closed a call. */
export interface CallClosing {
  readonly position: Position;
  readonly error: boolean;
  readonly cut: boolean;
  readonly content: readonly (TextPart | ImagePart)[];
}

/** A note, prompt or notification that waits to be packed. */
export interface WaitingSpan {
  readonly position: Position;
  readonly session: SessionId;
  readonly urgent: boolean;
  readonly parts: readonly (TextPart | ImagePart)[];
}

/** A change of tools, reasoning or role that waits to be packed. */
export interface WaitingChange {
  readonly position: Position;
  readonly session: SessionId;
  readonly part: ChangePart;
}

/** State of a stream, which is a series of requests that share a prefix. */
export interface Stream {
  /** Request that was sent last, until it is answered or fails. */
  readonly pending: SentRequest | undefined;
  /** Last request that the provider answered. */
  readonly accepted: Accepted | undefined;
  /**
   * Number of spans in the last accepted request to each model. The number shows which reasoning was sent to a model,
   * because a model receives only its own reasoning.
   */
  readonly reach: { readonly [model: string]: number };
  /**
   * Pauses since the last read of the stream's entries, counted in the tokens that were in the cache. They are used to
   * choose the lifetime of new entries.
   */
  readonly pauses: Pauses;
  /**
   * Pauses since the stream's own last request, even if its entries were kept warm in the meantime. They are used to
   * plan keep-warm requests.
   */
  readonly away: Pauses;
}

/** Tier of pressure that was reported, and the checkpoint that was in use at that time. */
export interface Crossed {
  readonly tier: PressureCrossed['tier'];
  readonly checkpoint: Position | undefined;
}

/**
 * Content that is probably in the provider's cache. One value covers all streams, because a cache depends only on the
 * bytes of a request.
 */
export interface Cache {
  /** Entries that are probably in the cache, newest last. */
  readonly entries: readonly CacheEntry[];
  /** Digests of the layers and tools in accepted requests. */
  readonly front: ReadonlySet<string>;
  /**
   * True if a promotion did not work: a request did not read a promoted entry that the longer lifetime should have
   * kept. No further promotion is tried in this session.
   */
  readonly promotionMissed: boolean;
}

export interface SentRequest {
  readonly position: Position;
  readonly at: Timestamp;
  readonly prepared: RequestPrepared;
  /** Number of spans in the request, counted in settled order. */
  readonly spans: number;
}

/** A request that was answered. */
export interface Accepted extends SentRequest {
  /**
   * Measured tokens that were read from the cache or written to it. After the answer, all of them were in the cache.
   * Absent if unknown.
   */
  readonly cached: number | undefined;
  /** Measured input tokens. Absent if unknown. */
  readonly input: number | undefined;
  /** Model that counted the tokens. */
  readonly model: string;
  /**
   * Answer to the request, with its measured tokens. Absent if the answer is not packed in the form in which it
   * arrived. `tokens` is absent if unknown.
   */
  readonly answer: { readonly position: Position; readonly tokens?: number } | undefined;
  /**
   * Cache entry at the last marker of the request, with its real lifetime. If a side call read this entry and left a
   * longer entry, the longer entry replaces it. Absent if nothing was cached.
   */
  readonly left: CacheEntry | undefined;
  /** The provider's id of the answer. Absent if the answer has no id or was cut. */
  readonly response: string | undefined;
  /** Last block of the prefix that `cached` counts: the block of `left` at the time of the answer. */
  readonly end: number | undefined;
}

/**
 * Token count of a request that is not the last accepted one. There are two cases. In the first case, an imported
 * session contains only the answer to the request. In the second case, the request is the last one before a call that
 * was cut.
 */
export interface RequestCount extends Pick<Accepted, 'input' | 'model' | 'answer' | 'spans'> {
  /** Position of the request. In an imported session, position of the answer. */
  readonly position: Position;
  /**
   * Only for an imported session: tokens before the history. No record contains this number. It is the first count
   * minus the estimate of the history.
   */
  readonly front: number | undefined;
}

/** A cache entry that the provider probably still has. */
export interface CacheEntry {
  /** Digests of the render parameters by section. */
  readonly parameters: RequestPrepared['sequence']['parameters'];
  /** Index of the last block in the entry. */
  readonly block: number;
  readonly section: Section;
  /** Number of blocks in the request that wrote the entry. */
  readonly of: number;
  /** Tokens up to the end of the entry, as counted by a call, or as recorded by the session that left the entry. */
  readonly tokens?: number;
  /**
   * True if the entry ends in the messages and the request that wrote it contained an image at any place. For some
   * providers, the cache of the messages depends on images.
   */
  readonly images: boolean;
  /**
   * True if the entry ends in the messages and a side call wrote it. The side call's own words begin a turn. If a
   * provider strips old thinking, such an entry therefore contains no thinking.
   */
  readonly beside: boolean;
  /** Running digest up to the last block. */
  readonly prefix: string;
  /** Cache key under which the entry is kept. Absent if no key is sent. */
  readonly key?: string;
  /** Account whose cache contains the entry. Absent if unknown. */
  readonly account?: string;
  /**
   * Lifetime that the entry was written with, as a name. If the provider created the entry by itself, this is the idle
   * time and the maximum age of the entry.
   */
  readonly ttl: Ttl | KeptLife;
  /**
   * Set if the entry was written with a longer lifetime than the entries before it, and this lifetime is not proved
   * yet. A later read can prove that the provider keeps the entry for this lifetime.
   */
  readonly promoted?: true;
  /** Start of the request that wrote or last read the entry. The lifetime counts from this time. */
  readonly at: Timestamp;
}

/** Lifetime of an entry that the provider creates by itself, in milliseconds. */
export interface KeptLife {
  /** Lifetime after the last use. */
  readonly idleMs: number;
  /** Maximum age. Absent: no maximum. */
  readonly ageMs?: number;
  /** Start of the request that wrote the entry. */
  readonly born: Timestamp;
}

/** A record that the fold ignored or could not apply, with the reason. */
export interface FoldProblem {
  readonly position: Position;
  readonly code: 'second-closing' | 'orphan-closing' | 'unknown-epoch-record';
  readonly message: string;
}

export function emptyState(): State {
  return {
    session: undefined,
    root: undefined,
    workspace: undefined,
    createdAt: undefined,
    length: 0,
    epoch: undefined,
    history: {
      packed: appendOnly(),
      lead: 0,
      settled: 0,
      batch: undefined,
      inFlight: false,
      notes: [],
      prompts: [],
      changes: [],
      calls: new Map(),
    },
    streams: {},
    cache: { entries: [], front: new Set(), promotionMissed: false },
    pace: NO_PACE,
    ratios: {},
    scales: undefined,
    pressure: undefined,
    steps: 0,
    compacted: undefined,
    quarantines: [],
    prunings: [],
    waiting: { quarantines: 0, prunings: 0 },
    skillCalls: new Set(),
    turns: appendOnly(),
    turn: undefined,
    directives: appendOnly(),
    problems: appendOnly(),
    unknown: undefined,
  };
}
