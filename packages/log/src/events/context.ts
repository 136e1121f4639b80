// Facts that decide what the model sees: epochs, notes, prompts, and the records that wait for an epoch.

import type { CacheWrite, Json, RenderParameters } from '@tidemark/core';
import type { Digest, Money, Position, SessionId, Timestamp } from '../ids.ts';
import type { ContentPart } from '../parts.ts';
import type { SequenceRecord } from './call.ts';

/** Why an epoch opened. */
export type EpochCause =
  | 'initial'
  | 'model'
  | 'reasoning'
  | 'parameters'
  | 'tools'
  | 'skills'
  | 'contract'
  | 'role'
  | 'compaction'
  | 'pruning'
  | 'quarantine';

/** One layer of the front. Its text is the artifact of that digest. */
export interface LayerRecord {
  readonly name: string;
  readonly revision: string;
  readonly stability: 'global' | 'project' | 'session';
  readonly digest: Digest;
  readonly bytes: number;
  /** Estimated, or measured where `sized` says so. */
  readonly tokens: number;
  readonly sized?: 'estimated' | 'recorded';
}

/** One tool of the front. Its canonical definition `{name, description, schema}` is the artifact of that digest. */
export interface ToolRecord {
  readonly name: string;
  readonly digest: Digest;
}

/** The one event that changes packing: the whole front of every request until the next epoch. */
export interface EpochOpened {
  readonly number: number;
  readonly cause: EpochCause;
  /** Other causes, each of which alone would have opened it; the weightiest first. */
  readonly also?: readonly EpochCause[];
  readonly provider: string;
  readonly model: string;
  readonly parameters: RenderParameters;
  /** The catalog row in force, as an artifact. */
  readonly capabilities: Digest;
  readonly contract: string;
  readonly layers: readonly LayerRecord[];
  readonly tools: readonly ToolRecord[];
  /** Of all their definitions: estimated tokens, and bytes. */
  readonly toolSize?: { readonly tokens: number; readonly bytes: number };
  readonly skills?: Digest;
  /** Position of the `history.compacted` that this epoch takes up. */
  readonly checkpoint?: Position;
  readonly prunings?: readonly Position[];
  readonly quarantines?: readonly Position[];
  readonly cacheKey: string;
  readonly forecast: EpochForecast;
  readonly padding?: PaddingRecord;
  /**
   * What others had left cached of this front when the epoch opened: of a subagent its parent, of any session those of its store whose
   * front was the same.
   */
  readonly cached?: readonly FrontEntry[];
  /** Layers and tools that are edits of ones that were sent before. All of any other one that was never sent is new. */
  readonly edits?: readonly FrontEdit[];
}

/** A layer or tool that replaces one of the same name. Tokens are estimates, before any scale. */
export interface FrontEdit {
  readonly digest: Digest;
  /** Tokens of its text that the one before did not hold. */
  readonly tokens: number;
  /** Tokens that it begins with in common with the one before. */
  readonly begins: number;
}

/** An entry of a provider's cache that ends in the front. */
export interface FrontEntry {
  readonly section: 'tools' | 'system';
  /** Index of the block it ends with. */
  readonly block: number;
  /** Running digest up to that block. */
  readonly prefix: Digest;
  readonly parameters: SequenceRecord['parameters'];
  /** The cache key that it is kept under; absent where none is sent. */
  readonly key?: string;
  /** The account whose cache holds it; absent where that is not known. */
  readonly account?: string;
  /** Tokens up to its end, as a call counted them, or as the counts of its session tell. */
  readonly tokens?: number;
  /** The life that it was bought with. */
  readonly ttl?: CacheWrite['ttl'];
  /** Of one that the provider keeps by itself: milliseconds from its last use, and in all from when it was written. */
  readonly kept?: { readonly idle: number; readonly age?: number; readonly born: Timestamp };
  /** When the request that wrote or last read it started. */
  readonly at: Timestamp;
}

/** Whether a front below the model's floor is padded: by the sum, whatever it says, or not at all. */
export type PaddingSetting = 'auto' | 'always' | 'never';

/** Why the front of an epoch was padded (`pays`, `always`), or was not. */
export type PaddingReason =
  | 'pays'
  | 'always'
  | 'never'
  | 'costs'
  | 'above-floor'
  | 'no-fit'
  | 'implicit'
  | 'uncached'
  | 'unknown-floor'
  | 'unknown-price';

/** The sum that was made when the epoch opened. Tokens are estimates; what is unknown is absent. */
export interface PaddingRecord {
  readonly setting: PaddingSetting;
  /** Tokens of the front without padding. */
  readonly natural: number;
  /** Tokens with it, where it could be padded. */
  readonly padded?: number;
  readonly floor?: number;
  /** Other sessions that were expected on this front. */
  readonly others?: number;
  /** Calls that were expected below the floor. */
  readonly calls?: number;
  /** What padding was expected to save, in tokens at the base input price; below zero it costs. */
  readonly gain?: number;
  readonly why: PaddingReason;
  /** Skills whose bodies it holds, by name; absent where it holds none. */
  readonly skills?: readonly string[];
}

/** What opening the epoch is expected to cost, said before it is paid. */
export interface EpochForecast {
  /** Tokens sent before that will be written again. */
  readonly rewrite: number;
  /** Price of that above reading them; absent when the price is unknown. */
  readonly cost?: Money;
}

/**
 * `context.noted`: structural context, in the tail. `body` is what the model sees; with `artifact` beside it, that is the
 * whole of which `body` is the head, named as a field so that readers of outputs and collectors of garbage know it.
 * Without `body`, the model is told the artifact's digest.
 */
export interface ContextNoted {
  readonly source: string;
  readonly revision: string;
  readonly cause: 'initial' | 'changed' | 'switched' | 'invalidated' | 'refreshed' | 'compacted-away';
  readonly urgent?: boolean;
  readonly body?: string;
  readonly artifact?: Digest;
}

/** `prompt.given`: somebody said something. */
export interface PromptGiven {
  readonly parts: readonly ContentPart[];
  readonly presenter: string;
  readonly steer?: boolean;
}

/** `notification.received`. */
export interface NotificationReceived {
  readonly source: string;
  readonly body: string;
  readonly provenance: string;
}

/**
 * `tools.changed`, against the list in force. `appended`: said to the model behind what it was sent so far. `queued`: not
 * said; the epoch that opens next takes the list up. An added name that is in force is a tool defined anew.
 */
export interface ToolsChanged {
  readonly added: readonly ToolRecord[];
  readonly removed: readonly string[];
  readonly as: 'appended' | 'queued';
}

/** `reasoning.changed`. */
export interface ReasoningChanged {
  /** The render parameter that it is about: `effort`. Absent where a recording tells the level alone. */
  readonly parameter?: string;
  readonly setting: string;
  readonly as: 'appended' | 'epoch';
  readonly scope: 'turn' | 'lasting';
}

/**
 * `reasoning.set`: render parameters that were set for the session. They hold for its further requests, in a later process too.
 * The record itself changes no request: `reasoning.changed` or `epoch.opened` does, where a request needs it.
 */
export interface ReasoningSet {
  readonly parameters: RenderParameters;
}

/** `role.changed`: the agent's own system text is another one from here on, told to the model behind what it was sent so far. */
export interface RoleChanged {
  /** Digest of the text, as a layer of a front names it; absent where there is none any more. */
  readonly role?: Digest;
  /** The text itself; empty where there is none. */
  readonly text: string;
  readonly as: 'appended';
}

/** `skill.loaded`. */
export interface SkillLoaded {
  readonly name: string;
  readonly version: string;
  readonly reason: 'always' | 'on_demand' | 'auto_suggested';
  readonly tokens: number;
  readonly source: string;
  readonly call?: string;
}

/** Positions `from` to `to`, both included. */
export interface Range {
  readonly from: Position;
  readonly to: Position;
}

/** `history.compacted`: a checkpoint that stands for a range. Inert until an epoch names it. */
export interface HistoryCompacted {
  readonly range: Range;
  readonly strategy: 'deterministic' | 'model-assisted' | 'recorded';
  readonly trigger: string;
  /** The text that the model will read in place of the range. */
  readonly checkpoint: string;
  readonly limitations: readonly string[];
  /** The same in fields, as whoever made it knows them: the next compaction carries these over, and not the text. */
  readonly fields?: { readonly [name: string]: Json };
  /** What was said inside the range and stays as it was said, behind the checkpoint: the prompts of the turn under way. */
  readonly keeps?: readonly Position[];
  /** Each text of a result behind the range holds at most so many UTF-16 units; what is left out is said there. */
  readonly shortens?: number;
  readonly before?: number;
  readonly after?: number;
  readonly made?: Json;
  readonly fallback?: string;
}

/** `compaction.refused`. */
export interface CompactionRefused {
  readonly trigger: string;
  readonly reason: string;
  readonly sizes: { readonly [name: string]: number };
}

/** `history.pruned`: results that are shown shortened from the epoch on that names it. Inert until then. */
export interface HistoryPruned {
  /** Their calls, by the ids that the provider is sent. */
  readonly calls: readonly string[];
  /** The same results by the records that hold them. One without this list shortens nothing. */
  readonly results?: readonly PrunedResult[];
  /** Tokens, estimated. */
  readonly freed: number;
  /** What is paid again of what was sent before, in US dollars above reading it; absent when the price is unknown. */
  readonly cost?: Money;
  /**
   * Calls after which the tokens that are no longer read have paid for the tokens that are written again, and for what the results are
   * expected to cost when they are fetched again. Never above `waits`.
   */
  readonly breakEven?: number;
  /**
   * What the pruning waits for: the most calls that `breakEven` may be. 0 where the history is written again anyway. Where the
   * pruning pays, the calls that have read what it frees, on average. In a full window, a constant.
   */
  readonly waits?: number;
  /** The tier of the window when this was decided; absent where it was unknown. */
  readonly tier?: PressureCrossed['tier'];
  readonly cause: string;
}

/** One shortened result. Where it is cut is recorded: it would not be found the same way by every machine (L2). */
export interface PrunedResult {
  readonly position: Position;
  /** UTF-16 units of its text that are still shown. */
  readonly kept: number;
  /** The end of the text is shown; absent, its beginning. */
  readonly from?: 'end';
}

/** `block.quarantined`. Inert until an epoch names it. */
export interface BlockQuarantined {
  readonly origin: { readonly position: Position; readonly part: number };
  readonly reason: string;
  readonly stub: string;
}

/** `pressure.crossed`: the next request reached a tier for the first time behind this checkpoint. */
export interface PressureCrossed {
  readonly tier: 'calm' | 'advisory' | 'warning' | 'critical';
  /** `input / limit`. */
  readonly ratio: number;
  readonly limit: number;
  readonly input: number;
  /** What limit and input count: tokens, which absent means, or the bytes of the body. */
  readonly unit?: 'bytes';
  /** The checkpoint in force; absent where the history was never compacted. */
  readonly checkpoint?: Position;
}

/** `branch.summarized`: what a branch did that is left behind, in short. */
export interface BranchSummarized {
  /** Whose log holds that range, where it is not this one: a fork leaves records behind in its parent. */
  readonly session?: SessionId;
  readonly range: Range;
  readonly strategy: 'deterministic' | 'model-assisted' | 'recorded';
  readonly text: string;
  readonly limitations: readonly string[];
}
