// Payloads of events that decide the content of requests: epochs, notes, prompts, and records that take effect with a
// later epoch.

import type { Json, RenderParameters } from '@tidemark/core';
import type { Digest, Money, Position, SessionId } from '../ids.ts';
import type { ContentPart } from '../parts.ts';
import type { SharedEntry } from './shared-entry.ts';

/**
 * Reason why an epoch opened. It is `initial` for the first epoch. Otherwise it is the part of the request that
 * changed, or the record that took effect.
 */
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

/** One layer of the front. `digest` identifies the artifact that contains the text of the layer. */
export interface LayerRecord {
  readonly name: string;
  readonly revision: string;
  readonly stability: 'global' | 'project' | 'session';
  readonly digest: Digest;
  readonly bytes: number;
  /** Estimated tokens, or counted ones if `sized` is `recorded`. */
  readonly tokens: number;
  readonly sized?: 'estimated' | 'recorded';
}

/**
 * One tool of the front. `digest` identifies the artifact that contains the canonical definition of the tool, `{name,
 * description, schema}`.
 */
export interface ToolRecord {
  readonly name: string;
  readonly digest: Digest;
}

/**
 * Payload of `epoch.opened`, the only event that changes packing. The record lists all layers and tools of the front,
 * which every request has until the next epoch.
 */
export interface EpochOpened {
  readonly number: number;
  readonly cause: EpochCause;
  /** Other causes, most important first. Each of them alone would also open the epoch. */
  readonly also?: readonly EpochCause[];
  readonly provider: string;
  readonly model: string;
  readonly parameters: RenderParameters;
  /** Digest of the artifact that contains the catalog row of the model. */
  readonly capabilities: Digest;
  readonly contract: string;
  readonly layers: readonly LayerRecord[];
  readonly tools: readonly ToolRecord[];
  /** Size of all tool definitions: estimated tokens, and bytes. */
  readonly toolSize?: { readonly tokens: number; readonly bytes: number };
  readonly skills?: Digest;
  /** Position of the `history.compacted` record whose checkpoint this epoch uses. */
  readonly checkpoint?: Position;
  readonly prunings?: readonly Position[];
  readonly quarantines?: readonly Position[];
  readonly cacheKey: string;
  readonly forecast: EpochForecast;
  readonly padding?: PaddingRecord;
  /**
   * Cache entries of this front that other sessions had left when the epoch opened. For a subagent, these are entries
   * of its parent. For any other session, they are entries of sessions in the same store with the same front.
   */
  readonly cached?: readonly FrontEntry[];
  /**
   * Layers and tools that replace an earlier version that was sent before. If a layer or tool was never sent and is not
   * in this list, all of it is new.
   */
  readonly edits?: readonly FrontEdit[];
}

/** Layer or tool that replaces another layer or tool with the same name. Tokens are estimates, before any scaling. */
export interface FrontEdit {
  readonly digest: Digest;
  /** Tokens of the new text that the previous version did not contain. */
  readonly tokens: number;
  /** Tokens at the beginning of the new text that are equal to the beginning of the previous version. */
  readonly begins: number;
}

/** Entry of a provider's cache that ends in the front, at a tool or at a system text. */
export interface FrontEntry extends Omit<SharedEntry, 'section' | 'of' | 'images'> {
  readonly section: 'tools' | 'system';
}

/**
 * Setting for padding a front that is below the model's cache floor. `auto` pads if a saving is expected, `always` pads
 * in any case, and `never` does not pad.
 */
export type PaddingSetting = 'auto' | 'always' | 'never';

/**
 * Reason why the front of an epoch was padded or not. Padded: `pays` (a saving is expected), `always` (by the setting).
 * Not padded: `never` (by the setting), `costs` (no saving is expected), `above-floor` (long enough without padding),
 * `no-fit` (no padding is possible), `implicit` (the provider caches without markers), `uncached` (the model takes no
 * markers), `unknown-floor`, `unknown-price`.
 */
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

/**
 * Values that decided if a front was padded. They are recorded when the epoch opens. Tokens are estimates. Unknown
 * values are absent.
 */
export interface PaddingRecord {
  readonly setting: PaddingSetting;
  /** Tokens of the front without padding. */
  readonly natural: number;
  /** Tokens of the front with padding. Absent if the front could not be padded. */
  readonly padded?: number;
  readonly floor?: number;
  /** Number of other sessions that are expected to use this front. */
  readonly others?: number;
  /** Number of calls that are expected to be below the floor without padding. */
  readonly calls?: number;
  /**
   * Expected saving by padding, in tokens at the base input price. Negative if padding is expected to raise the cost.
   */
  readonly gain?: number;
  readonly why: PaddingReason;
  /** Names of the skills whose bodies are in the padding. Absent if the padding contains no skill. */
  readonly skills?: readonly string[];
}

/** Expected cost of a new epoch, recorded before the next request is sent. */
export interface EpochForecast {
  /** Tokens that were sent before and will be written again. */
  readonly rewrite: number;
  /**
   * Price of writing the `rewrite` tokens minus the price of reading them from the cache. Absent if the price is
   * unknown.
   */
  readonly cost?: Money;
}

/**
 * Payload of `context.noted`: structural context in the tail. The model sees `body`. If `artifact` is also set, the
 * artifact contains the whole text, and `body` is only the beginning of that text. Without `body`, the model sees the
 * artifact's digest. `artifact` is a separate field, so the garbage collection and the tools that read outputs can find
 * the artifact.
 */
export interface ContextNoted {
  readonly source: string;
  readonly revision: string;
  readonly cause: 'initial' | 'changed' | 'switched' | 'invalidated' | 'refreshed' | 'compacted-away';
  readonly urgent?: boolean;
  readonly body?: string;
  readonly artifact?: Digest;
}

/** Payload of `prompt.given`: input from a user. */
export interface PromptGiven {
  readonly parts: readonly ContentPart[];
  readonly presenter: string;
  readonly steer?: boolean;
}

/**
 * Payload of `notification.received`: a message that did not come from the user, such as a message of the runtime.
 * `provenance` names its origin.
 */
export interface NotificationReceived {
  readonly source: string;
  readonly body: string;
  readonly provenance: string;
}

/**
 * Payload of `tools.changed`: differences from the current tool list. `appended`: a message informs the model, after
 * the content that was already sent. `queued`: the model is not informed, and the next epoch uses the new list. If an
 * added tool has a name in the current list, it replaces that tool.
 */
export interface ToolsChanged {
  readonly added: readonly ToolRecord[];
  readonly removed: readonly string[];
  readonly as: 'appended' | 'queued';
}

/**
 * Payload of `reasoning.changed`: the reasoning setting changed, either by an appended message (`as: 'appended'`) or
 * with a new epoch (`as: 'epoch'`).
 */
export interface ReasoningChanged {
  /** Render parameter that changed, such as `effort`. Absent if a recording contains only the level. */
  readonly parameter?: string;
  readonly setting: string;
  readonly as: 'appended' | 'epoch';
  readonly scope: 'turn' | 'lasting';
}

/**
 * Payload of `reasoning.set`: render parameters set for the session. They apply to all further requests of the session,
 * in later processes too. The record itself changes no request. When a request needs the change, `reasoning.changed` or
 * `epoch.opened` records it.
 */
export interface ReasoningSet {
  readonly parameters: RenderParameters;
}

/**
 * Payload of `role.changed`: the agent's own system text has changed. The model gets the new text after the content
 * that was already sent.
 */
export interface RoleChanged {
  /** Digest of the text, as in a layer of a front. Absent if the role was removed. */
  readonly role?: Digest;
  /** New text. Empty if the role was removed. */
  readonly text: string;
  readonly as: 'appended';
  /** Revision of the sentence that introduces the text to the model. Absent means `render/2`. */
  readonly rendering?: string;
}

/** Payload of `skill.loaded`: the body of a skill was loaded into the context. */
export interface SkillLoaded {
  readonly name: string;
  readonly version: string;
  readonly reason: 'always' | 'on_demand' | 'auto_suggested';
  readonly tokens: number;
  readonly source: string;
  readonly call?: string;
}

/** Range of positions, `from` and `to` included. */
export interface Range {
  readonly from: Position;
  readonly to: Position;
}

/**
 * Payload of `history.compacted`: a checkpoint that replaces a range of the history in requests. The checkpoint has no
 * effect until an epoch names this record.
 */
export interface HistoryCompacted {
  readonly range: Range;
  readonly strategy: 'deterministic' | 'model-assisted' | 'recorded';
  readonly trigger: string;
  /** Text that the model reads in place of the range. */
  readonly checkpoint: string;
  readonly limitations: readonly string[];
  /**
   * Contents of the checkpoint as structured fields. The next compaction carries over these fields instead of the text.
   */
  readonly fields?: { readonly [name: string]: Json };
  /**
   * Positions of messages inside the range that stay unchanged after the checkpoint: the prompts of the turn in
   * progress.
   */
  readonly keeps?: readonly Position[];
  /**
   * Maximum length of each result text after the range, in UTF-16 units. If a text is shortened, it states that a part
   * was omitted.
   */
  readonly shortens?: number;
  readonly before?: number;
  readonly after?: number;
  readonly made?: Json;
  readonly fallback?: string;
}

/**
 * Payload of `compaction.refused`: a compaction that was not made, with the reason and the sizes that decided it. It
 * does not change any request.
 */
export interface CompactionRefused {
  readonly trigger: string;
  readonly reason: string;
  readonly sizes: { readonly [name: string]: number };
}

/**
 * Payload of `history.pruned`: tool results that are shortened in requests. The pruning has no effect until an epoch
 * names this record.
 */
export interface HistoryPruned {
  /** Ids of the tool calls whose results are shortened. They are the ids that are sent to the provider. */
  readonly calls: readonly string[];
  /**
   * The shortened results. Each has the position of its record and the part of its text that is still shown. Without
   * this list, no result is shortened.
   */
  readonly results?: readonly PrunedResult[];
  /** Estimated tokens that the pruning frees. */
  readonly freed: number;
  /**
   * Additional cost of writing again the content that was already sent, compared with reading it from the cache. In US
   * dollars. Absent if the price is unknown.
   */
  readonly cost?: Money;
  /**
   * Number of calls after which the pruning saves more than it costs. The saving is that the freed tokens are no longer
   * read. The cost is the price of the tokens that are written again, plus the expected cost of fetching the results
   * again. Never above `waits`.
   */
  readonly breakEven?: number;
  /**
   * Upper limit of `breakEven` for this pruning. If the history is written again in any case, the limit is 0. For the
   * cause `pays`, it is computed from the average number of calls that have already read the freed tokens. In a nearly
   * full window, it is the smaller of two numbers: a constant, and the number of calls left before a compaction.
   */
  readonly waits?: number;
  /** Pressure tier when the pruning was decided. Absent if unknown. */
  readonly tier?: PressureCrossed['tier'];
  readonly cause: string;
}

/**
 * One shortened result. The length of the shown text is recorded, because another machine might compute a different
 * length (L2).
 */
export interface PrunedResult {
  readonly position: Position;
  /** UTF-16 units of the text that are still shown. */
  readonly kept: number;
  /** `end` if the end of the text is shown. Absent if its beginning is shown. */
  readonly from?: 'end';
}

/**
 * Payload of `block.quarantined`: a block that the provider refused, and the stub that replaces the block in requests.
 * The quarantine has no effect until an epoch names this record.
 */
export interface BlockQuarantined {
  readonly origin: { readonly position: Position; readonly part: number };
  readonly reason: string;
  readonly stub: string;
}

/** Payload of `pressure.crossed`: the next request reached a tier for the first time after the current checkpoint. */
export interface PressureCrossed {
  readonly tier: 'calm' | 'advisory' | 'warning' | 'critical';
  /** Used share of the limit: `input / limit`. */
  readonly ratio: number;
  readonly limit: number;
  readonly input: number;
  /** Unit of `limit` and `input`: `bytes` of the request body. Absent means tokens. */
  readonly unit?: 'bytes';
  /** Position of the current checkpoint. Absent if the history was never compacted. */
  readonly checkpoint?: Position;
}

/** Payload of `branch.summarized`: a short summary of the work in a branch that the session has left. */
export interface BranchSummarized {
  /**
   * Session whose log contains the range. Absent if it is this session. After a fork, the records of the previous
   * branch are in the log of the parent.
   */
  readonly session?: SessionId;
  readonly range: Range;
  readonly strategy: 'deterministic' | 'model-assisted' | 'recorded';
  readonly text: string;
  readonly limitations: readonly string[];
}
