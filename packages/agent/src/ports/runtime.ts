// Port of the runtime: provider, tools, limits and policies that a session runs with. They are not in the log, and may
// differ the next time the session is opened.

import type { BudgetSettings, InheritedFront, Lifetime, RequestSpec, RuntimeText } from '@tidemark/context';
import type { PaddingSetting, RenderParameters } from '@tidemark/log';
import type { Capabilities, JsonValue, Provider } from '@tidemark/model';
import type { RuleSet } from '../rules/rule.ts';
import type { ProjectGrants } from '../rules/ruled-call.ts';
import type { CompactionBy, CompactionPolicy } from './compaction.ts';
import type { ContextSource } from './context-source.ts';
import type { ImageFitter } from './image-fitter.ts';
import type { ModelReach, OtherModel } from './live-session.ts';
import type { Asker } from './permissions.ts';
import type { Notice } from './session-event.ts';
import type { SkillShelf } from './skill-shelf.ts';
import type { Surroundings } from './surroundings.ts';
import type { Tool, ToolSource } from './tool.ts';

/**
 * Runtime of a session: everything that its log does not contain and that may differ the next time the session is
 * opened.
 */
export interface Runtime {
  readonly provider: Provider;
  readonly capabilities: Capabilities;
  /** Looks up a model by its name, for a session that switches. Without it a model is given as an object. */
  readonly findModel?: (name: string, reach: ModelReach) => OtherModel;
  readonly parameters: RenderParameters;
  /** The agent's own system text. */
  readonly role?: string;
  /** Amount of the runtime's own system text. Default: `full`. */
  readonly promptVerbosity?: RuntimeText;
  /** Padding of a front below the model's floor. Default: `auto`, which pads if this is expected to lower the cost. */
  readonly padding?: PaddingSetting;
  /**
   * Number of other sessions that are expected to use the same front while a cache entry lives. They make padding pay
   * off sooner. Default: 0.
   */
  readonly neighbours?: number;
  /** Shortening of old tool results. Default: `auto`, which shortens results if this lowers the cost. */
  readonly pruning?: 'auto' | 'never';
  readonly tools: readonly Tool[];
  /** Installed skills, which can be loaded by name. A context source lists them. */
  readonly skills?: SkillShelf;
  /**
   * Sources that supply more tools while the session is open. If the model accepts no appended tools, a changed tool
   * list from a source waits for the next epoch. See `takeTools`.
   */
  readonly toolSources?: readonly ToolSource[];
  /** The part of `tools` that the tool sources supplied last. Maintained by the runtime. */
  readonly given?: readonly Tool[];
  /**
   * Time at which a changed tool list takes effect if the model does not accept tools appended to the context. See
   * `RequestSpec`.
   */
  readonly takeTools?: RequestSpec['takeTools'];
  /**
   * Image fitter that prepares images for sending. Without it the images of tools are sent unchanged, and an image in a
   * prompt is refused with `agent/unfit-image`.
   */
  readonly images?: ImageFitter;
  readonly sources: readonly ContextSource[];
  readonly limits: TurnLimits;
  readonly retry: RetryPolicy;
  /** Maximum output tokens of an answer. */
  readonly outputLimit: number;
  /**
   * Token budgets of the window that replace the computed ones: how much is kept free, where a warning begins. Default:
   * computed from the window.
   */
  readonly budgets?: BudgetSettings;
  /**
   * Policy for starting compactions. If absent, a resumed turn keeps the policy that it began with, and any other turn
   * uses `preflight`.
   */
  readonly compaction?: CompactionPolicy;
  /** Writer of a checkpoint if the compaction itself names none. Default: `deterministic`. */
  readonly compactionBy?: CompactionBy;
  /** Lifetime requested for cache entries. */
  readonly ttl: Lasting;
  /** Policy for keeping the cache warm while the session is open and waits for a prompt. Default: `off`. */
  readonly warm?: Warm;
  /**
   * Additional fields of each request body, besides the context. Like `betas` they are meant for this provider only.
   */
  readonly envelope: { readonly [name: string]: JsonValue };
  readonly betas: readonly string[];
  /** Maximum silence of a provider during a call, in milliseconds. After it the call is cut off. Default: 180,000. */
  readonly idleMs?: number;
  readonly ask?: Asker;
  /** Rules of the user in addition to the mode: what is allowed, denied or asked about. */
  readonly rules?: RuleSet;
  /** Grants that apply to every session of the workspace. A subagent has none, because no person was shown its work. */
  readonly grants?: ProjectGrants;
  /**
   * Size from which on a step that pays again for content already sent is reported before it is sent. Default:
   * `REWRITE_NOTICE`.
   */
  readonly rewriteNotice?: RewriteNotice;
  /** True if commands and network calls run in mode `auto` without asking, with or without a sandbox. */
  readonly allowUnsandboxed: boolean;
  /**
   * Gate that delays a call while another call is writing the same cache entries. Sessions with the same provider share
   * it.
   */
  readonly gate?: CacheWriteGate;
  /**
   * Limits of subagents. Without them the session starts no subagent. A subagent that remained open after a crash is
   * ended in any case.
   */
  readonly subagents?: SubagentLimits;
  /**
   * For a subagent: the front of the session that started it. The subagent's first epoch opens with this front if it
   * can use it.
   */
  readonly inherits?: InheritedFront;
  /** Watch that reports at the end of a turn what the turn changed outside of the session. */
  readonly watch?: TurnWatch;
  /** Callback that receives a copy of each request body before the request is sent. */
  readonly onRequest?: (body: Uint8Array) => void;
  readonly surroundings: Surroundings;
}

/**
 * Policy for keeping the cache warm during pauses. `auto` uses promotions if the model's catalog row marks them as
 * verified. It uses refreshing reads if the model offers no longer lifetime, because a longer lifetime is cheaper in
 * most sessions. A number in `share` allows both ways and limits the cost to this share of the session's cost so far.
 * With `auto` the share is a tenth.
 */
export type Warm = 'off' | 'auto' | { readonly share: number };

/**
 * Limits of one turn. An absent field is no limit. A turn that reaches a limit ends as `limited`, and `resume`
 * continues it.
 */
export interface TurnLimits {
  readonly steps?: number;
  /** Working time in milliseconds. */
  readonly ms?: number;
  /** Input and output tokens together. A call whose forecast input would exceed the limit is not sent. */
  readonly tokens?: number;
  /** US dollars as an exact decimal. A call whose forecast cost would exceed the limit is not sent. */
  readonly cost?: string;
}

/**
 * Threshold for a step that pays again for content already sent. Such a step is reported before it is sent, and in mode
 * `ask` the user is asked. Reaching one of the two fields is enough. An absent field is never reached.
 */
export interface RewriteNotice {
  readonly tokens?: number;
  /** US dollars as an exact decimal, in addition to the cost of reading the same tokens from the cache. */
  readonly cost?: string;
}

/**
 * Default threshold: 20 cents or 50,000 tokens. The threshold that is reached first counts. If the price is unknown,
 * only the tokens count.
 */
export const REWRITE_NOTICE: RewriteNotice = { tokens: 50_000, cost: '0.20' };

/** Policy for retrying temporary failures. */
export interface RetryPolicy {
  /** Maximum number of times that one step is sent, including the first. */
  readonly attempts: number;
  /** First pause in milliseconds. It doubles up to `maxDelayMs`, with random variation. A provider's `retry-after` overrides it. */
  readonly initialDelayMs: number;
  readonly maxDelayMs: number;
  /** Longest pause in milliseconds that is accepted from a provider. A longer one ends the turn. Default: 120,000. */
  readonly maxRetryAfterMs?: number;
}

/** Default policy: four attempts, with pauses of at most 35 seconds in total, or as long as the provider asks. */
export const RETRY: RetryPolicy = { attempts: 4, initialDelayMs: 5_000, maxDelayMs: 20_000, maxRetryAfterMs: 120_000 };

/**
 * Limits of each subagent of a session. All subagents together are limited by what remains of the limits of the turn
 * that starts them.
 */
export interface SubagentLimits extends TurnLimits {
  /** Maximum number of subagents that run at the same time. Default: 4. */
  readonly parallel?: number;
  /** Maximum number of subagents that a session starts in total. Default: 32. */
  readonly total?: number;
  /** Maximum depth of subagents. Default: 1, which means that a subagent starts no subagents. */
  readonly depth?: number;
}

/** Default limits of subagents. Each subagent may take 50 steps and ten minutes. */
export const SUBAGENT_LIMITS: Required<Omit<SubagentLimits, 'tokens' | 'cost'>> = {
  parallel: 4,
  total: 32,
  depth: 1,
  steps: 50,
  ms: 600_000,
};

/**
 * Lifetime requested for cache entries: a fixed one, or `auto`, which chooses from the pauses of the session and the
 * model's prices.
 */
export type Lasting = Lifetime | 'auto';

/**
 * Gate that prevents parallel calls from writing the same cache entry twice. It is shared by the sessions whose calls
 * use the cache of one provider.
 */
export interface CacheWriteGate {
  /**
   * Waits while another call is writing one of these entries. Returns when this call may be sent, or when the signal
   * aborts. If a call fails, the next one may write.
   */
  enter(entries: readonly string[], signal: AbortSignal): Promise<Passage>;
}

/** A call that has passed the gate. */
export interface Passage {
  /** Reports that the answer has begun, so the entries that the call wrote can be read. */
  begun(): void;
  /** Reports that the call has ended. A call that never reported `begun` has written nothing. */
  over(): void;
}

/**
 * Watch that compares the state outside of the session at the end of a turn with the state before the turn's first call
 * that could change something.
 */
export interface TurnWatch {
  /**
   * Records the first state. The returned function records the state again and returns notices about the differences.
   */
  begin(): Promise<() => Promise<readonly Notice[]>>;
}
