// The state of the fold: all that a request depends on, as a value. Derived, disposable (L9).

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

/** The fold after some prefix of a log. */
export interface State {
  /** The session the next records belong to: in a fork, the child once its own record 0 was read. */
  readonly session: SessionId | undefined;
  readonly root: SessionId | undefined;
  readonly workspace: string | undefined;
  /** Position of this session's own `session.created`: in a fork, behind its parent's records. */
  readonly createdAt: Position | undefined;
  /** How many records were folded. */
  readonly length: number;
  readonly epoch: Epoch | undefined;
  readonly history: History;
  /** The main stream, and side streams whose call is on its way. */
  readonly streams: { readonly [name: string]: Stream };
  readonly cache: Cache;
  readonly pace: Pace;
  /** What the usage of answered calls taught of each model's tokens. */
  readonly ratios: { readonly [model: string]: Learnt };
  /** The same for each text that was counted. */
  readonly scales: Scales | undefined;
  /** The last count of a request that is none of the stream's: a recording's, or the one in front of a call that was cut. */
  readonly counted?: RequestCount;
  /** The highest tier that was said since the checkpoint in force was taken up. */
  readonly pressure: Crossed | undefined;
  /** Steps answered so far on the main stream: the number of the next one. */
  readonly steps: number;
  /** The checkpoint that waits for an epoch, or is in force. */
  readonly compacted: Compacted | undefined;
  /** Blocks that a provider rejected, in the order in which they were recorded; each holds from the epoch on that names it. */
  readonly quarantines: readonly Quarantine[];
  /** Results that are to be shown shortened, in the order in which that was recorded; each batch from the epoch on that names it. */
  readonly prunings: readonly Pruning[];
  /** How many of these two no epoch has named yet. */
  readonly waiting: { readonly quarantines: number; readonly prunings: number };
  /** Calls whose results are bodies of skills, by the ids recorded: those are never shortened. */
  readonly skillCalls: ReadonlySet<string>;
  /** Where each turn started. */
  readonly turns: AppendOnly<Position>;
  /** The turn that is open. */
  readonly turn: { readonly startedAt: Position } | undefined;
  /** Where the prompts and steers stand of the turn that is open, or did not come to its end. */
  readonly directives: AppendOnly<Position>;
  /** What the fold met and set aside: reported, never packed. */
  readonly problems: AppendOnly<FoldProblem>;
  /** The first record of a kind that this build does not know: such a session is shown, not run. */
  readonly unknown: { readonly name: string; readonly position: Position } | undefined;
}

/** The epoch in force. */
export interface Epoch {
  readonly position: Position;
  readonly opened: EpochOpened;
  /** Position of the last epoch that edited what was sent before: front or history, not a parameter alone. */
  readonly edited: Position;
  /** Results whose present form no accepted request held when this epoch opened, by their positions. */
  readonly shortened: ReadonlySet<number>;
  readonly inForce: InForce;
}

/** What holds now of what can change inside an epoch: its front, and what was appended since. */
export interface InForce {
  /** What the model is offered, by name. */
  readonly tools: readonly ToolRecord[];
  readonly parameters: RenderParameters;
  /** Digest of the agent's own system text, where it has one. */
  readonly role: Digest | undefined;
  /** The definition that each name was last given: a tool that was removed keeps its own. */
  readonly defined: ReadonlyMap<string, Digest>;
  /** The tools that wait for the next epoch, where they are others. */
  readonly queued: readonly ToolRecord[] | undefined;
  /** Some of it is said by what was appended, packed or waiting for its place, and not by the front. */
  readonly appended: boolean;
}

/** A recorded compaction. */
export interface Compacted {
  readonly position: Position;
  /** Whose log holds it: a fork may take up what its parent recorded. */
  readonly session: SessionId;
  readonly data: HistoryCompacted;
}

/** A block that a provider rejected. */
export interface Quarantine {
  /** Of its record. */
  readonly position: Position;
  readonly origin: BlockQuarantined['origin'];
  readonly stub: string;
}

/** One recorded batch of results that are to be shown shortened. */
export interface Pruning extends Pick<HistoryPruned, 'cause' | 'tier'> {
  readonly position: Position;
  readonly results: readonly PrunedResult[];
}

/** History in settled order, and what is not settled yet. */
export interface History {
  /** What is packed now, in order. Replaced as a whole only where an epoch repacks. */
  readonly packed: AppendOnly<Span>;
  /** How many spans at the beginning of `packed` stand for dropped ones: 1 behind a checkpoint. */
  readonly lead: number;
  /** Spans settled so far, dropped ones included: the ordinal of the next one. */
  readonly settled: number;
  /** The answer whose calls are open. */
  readonly batch: AnswerBatch | undefined;
  /** A request of the main stream is on its way. */
  readonly inFlight: boolean;
  readonly notes: readonly WaitingSpan[];
  readonly prompts: readonly WaitingSpan[];
  /** Changes of what the front says that wait for their place. */
  readonly changes: readonly WaitingChange[];
  /** Where each call id that is packed was first used. Shared with the states that this one grew into, as `packed` is. */
  readonly calls: Map<string, number>;
}

/** An answer, its calls, and what closed them so far. */
export interface AnswerBatch {
  readonly position: Position;
  readonly session: SessionId;
  readonly answer: AnswerReceived;
  readonly calls: readonly CallPart[];
  /** What closed each call, by the id recorded. */
  readonly closed: ReadonlyMap<string, CallClosing>;
}

/** What closed a call. */
export interface CallClosing {
  readonly position: Position;
  readonly error: boolean;
  readonly cut: boolean;
  readonly content: readonly (TextPart | ImagePart)[];
}

/** A note, prompt or notification that waits for its place. */
export interface WaitingSpan {
  readonly position: Position;
  readonly session: SessionId;
  readonly urgent: boolean;
  readonly parts: readonly (TextPart | ImagePart)[];
}

/** A change of what the front says that waits for its place. */
export interface WaitingChange {
  readonly position: Position;
  readonly session: SessionId;
  readonly part: ChangePart;
}

/** One line of requests that share a prefix. */
export interface Stream {
  /** The request that was sent last, answered or not. */
  readonly pending: SentRequest | undefined;
  /** The last one that was accepted. */
  readonly accepted: Accepted | undefined;
  /** Spans that the last accepted request to each model held: a model is sent its own reasoning alone. */
  readonly reach: { readonly [model: string]: number };
  /** What its pauses put at stake, from the last time that its entries were read: by this their lives are chosen. */
  readonly pauses: Pauses;
  /** The same from its own last request, whether or not something kept its entries warm: by this that is planned. */
  readonly away: Pauses;
}

/** A tier of pressure that was said, and behind which checkpoint. */
export interface Crossed {
  readonly tier: PressureCrossed['tier'];
  readonly checkpoint: Position | undefined;
}

/** What the provider took in, whichever stream sent it: a cache knows bytes, and no streams. */
export interface Cache {
  /** What it is believed to hold, newest last. */
  readonly entries: readonly CacheEntry[];
  /** Digests of the layers and tools that accepted requests held. */
  readonly front: ReadonlySet<string>;
  /** A promoted entry was not read when only a promotion could have kept it: no further one is tried in this session. */
  readonly promotionMissed: boolean;
}

/** A request as sent. */
export interface SentRequest {
  readonly position: Position;
  readonly at: Timestamp;
  readonly prepared: RequestPrepared;
  /** Spans it held, counted in settled order. */
  readonly spans: number;
}

/** A request that was answered. */
export interface Accepted extends SentRequest {
  /** Measured tokens that were read or written: what the cache then held. Absent when unknown. */
  readonly cached: number | undefined;
  /** Measured input tokens. */
  readonly input: number | undefined;
  /** The model that counted it. */
  readonly model: string;
  /** Its answer, where that is packed as it came, and its measured tokens: absent when unknown. */
  readonly answer: { readonly position: Position; readonly tokens?: number } | undefined;
  /**
   * The entry at its last marker, with the life that it really has; the one further on, once a side call that read it left
   * one. Absent where nothing was cached.
   */
  readonly left: CacheEntry | undefined;
  /** The provider's id of the answer; absent where it has none, or was cut. */
  readonly response: string | undefined;
  /** The block that `cached` counts up to: where `left` ended when this was answered. */
  readonly end: number | undefined;
}

/** What was counted of a request: of one that a recording did not keep, or of the last one in front of a call that was cut. */
export interface RequestCount extends Pick<Accepted, 'input' | 'model' | 'answer' | 'spans'> {
  /** Of the request, or of a recording's answer. */
  readonly position: Position;
  /** Of a recording: tokens in front of the history, which no record holds: what the first count leaves beside the estimate of the rest. */
  readonly front: number | undefined;
}

/** A cache entry that the provider is believed to hold. */
export interface CacheEntry {
  /** Digests of the render parameters by section. */
  readonly parameters: RequestPrepared['sequence']['parameters'];
  /** Index of the block it ends with. */
  readonly block: number;
  readonly section: Section;
  /** Blocks of the request that wrote it. */
  readonly of: number;
  /** Tokens up to its end, as a call counted them, or as the session that left it told. */
  readonly tokens?: number;
  /** That request held an image, anywhere: the cache of the messages depends on it. */
  readonly images: boolean;
  /** A side call wrote it, whose own words began a turn: providers that strip old thinking had stripped all of it. */
  readonly beside: boolean;
  /** Running digest up to that block. */
  readonly prefix: string;
  /** The cache key that it is kept under; absent where none is sent. */
  readonly key?: string;
  /** The account whose cache holds it; absent where that is not known. */
  readonly account?: string;
  /** The life that it was bought with, and keeps; or that the provider gives it. */
  readonly ttl: Ttl | KeptLife;
  /** It was written to outlive what stands before it, and nothing has shown yet whether it does. */
  readonly promoted?: true;
  /** When the request that wrote or last read it started: its life counts from there. */
  readonly at: Timestamp;
}

/** The life of an entry that the provider keeps by itself, in milliseconds. */
export interface KeptLife {
  /** From its last use. */
  readonly idleMs: number;
  /** In all; absent is without end. */
  readonly ageMs?: number;
  /** When the request that wrote it started. */
  readonly born: Timestamp;
}

/** Something that the fold set aside. */
export interface FoldProblem {
  readonly position: Position;
  readonly code: 'second-closing' | 'orphan-closing' | 'unknown-epoch-record' | 'doubled-call';
  readonly message: string;
}

/** The fold of no records. */
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
