// Port of the runtime: the provider, tools, limits and policies of a running session. They are not in the log, and may
// be different the next time the session is opened.

import type { BudgetSettings, InheritedFront, Lifetime, RequestSpec, RuntimeText } from '@tidemark/context';
import type { AgentChosen, PaddingSetting, RenderParameters } from '@tidemark/log';
import type { Capabilities, JsonValue, Provider } from '@tidemark/model';
import type { RuleSet } from '../rules/rule.ts';
import type { ProjectGrants } from '../rules/ruled-call.ts';
import type { CompactionBy, CompactionPolicy } from './compaction.ts';
import type { ContextSource } from './context-source.ts';
import type { Hook } from './hooks.ts';
import type { ImageFitter } from './image-fitter.ts';
import type { ModelReach, OtherModel } from './other-model.ts';
import type { AgentShelf, ToolLimit } from './own-agent.ts';
import type { Asker } from './permissions.ts';
import type { ProcessHost } from './process-host.ts';
import type { Notice } from './session-event.ts';
import type { SkillShelf } from './skill-shelf.ts';
import type { Surroundings } from './surroundings.ts';
import type { Tool, ToolSource } from './tool.ts';

/**
 * Runtime of a session: everything that its log does not contain and that may be different the next time the session is
 * opened.
 */
export interface Runtime {
  readonly provider: Provider;
  readonly capabilities: Capabilities;
  /**
   * Returns the model with this name, for a switch or a fork. If absent, the caller has to pass the model as an object.
   */
  readonly findModel?: (name: string, reach: ModelReach) => OtherModel;
  readonly parameters: RenderParameters;
  /** The agent's own system text. */
  readonly role?: string;
  /** Amount of the runtime's own system text. Default: `full`. */
  readonly promptVerbosity?: RuntimeText;
  /**
   * Padding of a front below the model's floor. Default: `auto`, which adds padding if this is expected to lower the
   * cost.
   */
  readonly padding?: PaddingSetting;
  /**
   * Number of other sessions that are expected to use the same front during the lifetime of a cache entry. Padding may
   * be too expensive for one session but lower the cost of several sessions. Default: 0.
   */
  readonly neighbours?: number;
  /** Shortening of old tool results. Default: `auto`, which shortens results only if this lowers the cost. */
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
   * Time at which a changed tool list takes effect. It matters only if the model does not accept tools that are
   * appended to the context. See `RequestSpec`.
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
   * Token budgets of the window that replace the computed ones. Examples are the reserve that is kept free, and the
   * size from which a warning is given. Default: computed from the window.
   */
  readonly budgets?: BudgetSettings;
  /** Policy for starting compactions. Default: `preflight`. A resumed turn keeps the policy with which it began. */
  readonly compaction?: CompactionPolicy;
  /** Writer of a checkpoint. It is used if the compaction itself names no writer. Default: `deterministic`. */
  readonly compactionBy?: CompactionBy;
  /** Lifetime requested for cache entries. */
  readonly ttl: Lasting;
  /** Policy for keeping the cache warm while the session is open and waits for a prompt. Default: `off`. */
  readonly warm?: Warm;
  /**
   * Additional fields of each request body, in addition to the context. These fields and `betas` are sent only to
   * `provider`. After a switch they are not sent to another provider.
   */
  readonly envelope: { readonly [name: string]: JsonValue };
  readonly betas: readonly string[];
  /**
   * Maximum time without data from the provider during a call, in milliseconds. The call is then cut off. Default:
   * 180,000.
   */
  readonly idleMs?: number;
  readonly ask?: Asker;
  /**
   * True if the permission mode is only the default, because no one chose a mode. If the mode then denies a call, one
   * notice reports it. Default: false.
   */
  readonly modeIsDefault?: boolean;
  /** Rules of the user in addition to the mode. A rule allows calls, denies them, or asks the user. */
  readonly rules?: RuleSet;
  /**
   * Hooks of the session, in the order in which they are asked. The calls of its subagents have the same hooks. Prompts
   * and turns of subagents have none.
   */
  readonly hooks?: readonly Hook[];
  /**
   * Grants that apply to every session of the workspace. A subagent has no such grants, because no person was shown its
   * work.
   */
  readonly grants?: ProjectGrants;
  /**
   * Threshold for a notice about a step that is billed again for content already sent. The notice comes before the step
   * is sent. Default: `REWRITE_NOTICE`.
   */
  readonly rewriteNotice?: RewriteNotice;
  /** True if commands and network calls run in mode `auto` without asking, with or without a sandbox. */
  readonly allowUnsandboxed: boolean;
  /**
   * Gate that delays a call while another call is writing the same cache entries. Sessions with the same provider share
   * the gate.
   */
  readonly gate?: CacheWriteGate;
  /**
   * Limits of subagents. Without them the session starts no subagent. If a subagent remained open after a crash, it is
   * ended in any case.
   */
  readonly subagents?: SubagentLimits;
  /** Own agents of the user, for subagents and for `setAgent`. */
  readonly agents?: AgentShelf;
  /**
   * Own agent that the session is. Its role follows `role` in the front, and only its tools are listed. The log of an
   * existing session overrides it.
   */
  readonly agent?: AgentChosen;
  /** For a subagent: tools that own agents allow it. A tool has to be allowed by each of them. */
  readonly toolLimits?: readonly ToolLimit[];
  /** Model of every subagent whose own agent names no model. Default: the model of the session that starts it. */
  readonly subagentModel?: OtherModel;
  /** Returns the model that an own agent names. A short name such as `haiku` is accepted. */
  readonly findAgentModel?: (name: string) => OtherModel;
  /**
   * For a subagent: the front of the session that started it. If this front suits the subagent, its first epoch opens
   * with this front.
   */
  readonly inherits?: InheritedFront;
  /** Host of the background processes. Without it, the session has none. */
  readonly processes?: ProcessHost;
  /** Watches the state outside of the session. At the end of a turn it reports the changes that the turn made there. */
  readonly watch?: TurnWatch;
  /** Callback that receives a copy of each request body before the request is sent. */
  readonly onRequest?: (body: Uint8Array) => void;
  readonly surroundings: Surroundings;
}

/**
 * Policy for keeping the cache warm during pauses.
 *
 * - `off` sends nothing.
 * - `auto` uses promotions if the model's catalog row marks them as verified by a live test. It uses refreshing reads
 *   only for a model without the lifetime `1h`, because with this lifetime most sessions are cheaper without reads. It
 *   spends at most a tenth of the session's cost so far.
 * - `{ share }` allows promotions and refreshing reads for every model. It spends at most this share of the session's
 *   cost so far.
 */
export type Warm = 'off' | 'auto' | { readonly share: number };

/**
 * Limits of one turn. If a field is absent, there is no limit. A turn that reaches a limit ends as `limited`, and
 * `resume` continues it.
 */
export interface TurnLimits {
  readonly steps?: number;
  /**
   * Maximum duration of the turn in milliseconds, measured from its start or from its last `resume`. When the time is
   * over, the running call or the waiting question is interrupted, as by `interrupt`.
   */
  readonly ms?: number;
  /** Input and output tokens together. A call whose forecast input would exceed the limit is not sent. */
  readonly tokens?: number;
  /** US dollars as an exact decimal. A call whose forecast cost would exceed the limit is not sent. */
  readonly cost?: string;
}

/**
 * Threshold for a step that is billed again for content already sent. If a step reaches `tokens` or `cost`, it is
 * reported before it is sent, and in mode `ask` the user is asked. An absent field is not checked.
 */
export interface RewriteNotice {
  readonly tokens?: number;
  /**
   * US dollars as an exact decimal: the added cost of the step, compared with reading the same tokens from the cache.
   */
  readonly cost?: string;
}

/**
 * Default threshold. A step is reported if at least 50,000 tokens or 20 cents are billed again. If the price is
 * unknown, only the tokens count.
 */
export const REWRITE_NOTICE: RewriteNotice = { tokens: 50_000, cost: '0.20' };

/** Policy for retrying temporary failures. */
export interface RetryPolicy {
  /** Maximum number of times that one step is sent, including the first. */
  readonly attempts: number;
  /**
   * First pause in milliseconds. Each further pause is twice as long, up to `maxDelayMs`. A random part is then
   * subtracted. A provider's `retry-after` overrides the computed pause.
   */
  readonly initialDelayMs: number;
  readonly maxDelayMs: number;
  /**
   * Longest pause in milliseconds that is accepted from a provider. If the provider asks for a longer pause, the turn
   * ends. Default: 120,000.
   */
  readonly maxRetryAfterMs?: number;
}

/**
 * Default policy: four attempts, with pauses of at most 35 seconds in total. If the provider asks for a longer pause,
 * that pause is used.
 */
export const RETRY: RetryPolicy = { attempts: 4, initialDelayMs: 5_000, maxDelayMs: 20_000, maxRetryAfterMs: 120_000 };

/**
 * Limits of each subagent of a session. All subagents together are limited by the limits of the turn that starts them,
 * minus what this turn has used.
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
 * Lifetime requested for cache entries: a fixed lifetime, or `auto`. `auto` chooses a lifetime from the pauses of the
 * session and the model's prices.
 */
export type Lasting = Lifetime | 'auto';

/**
 * Gate that prevents parallel calls from writing the same cache entry twice. Sessions that use the same provider share
 * the gate.
 */
export interface CacheWriteGate {
  /**
   * Waits while another call is writing one of these entries. Returns when this call may be sent, or when the signal
   * aborts. If the writing call fails, one of the waiting calls may write the entries.
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
 * Watches the state outside of the session. Compares the state at the end of a turn with the state before the turn's
 * first call that could change something.
 */
export interface TurnWatch {
  /**
   * Records the state before the first change. The returned function records the state again and returns notices about
   * the differences.
   */
  begin(): Promise<() => Promise<readonly Notice[]>>;
}
