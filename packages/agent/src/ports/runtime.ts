// What a session is run with: everything that its log does not hold and that can be another the next time it is opened.

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

/** The runtime of a session: what its log does not hold, and what may differ the next time it is opened. */
export interface Runtime {
  readonly provider: Provider;
  readonly capabilities: Capabilities;
  /** Looks up a model by its name, for a session that switches. Without it a model is given as an object. */
  readonly findModel?: (name: string, reach: ModelReach) => OtherModel;
  readonly parameters: RenderParameters;
  /** The agent's own system text. */
  readonly role?: string;
  /** How much the runtime's own text says: `full` by default. */
  readonly promptVerbosity?: RuntimeText;
  /** Whether a front below the model's floor is padded: `auto` (where it is expected to pay) by default. */
  readonly padding?: PaddingSetting;
  /** Other sessions that are expected on the same front while a cache entry lives: they make padding pay sooner. 0 by default. */
  readonly neighbours?: number;
  /** Whether old results are shortened where that pays: `auto` by default. */
  readonly pruning?: 'auto' | 'never';
  readonly tools: readonly Tool[];
  /** Installed skills, to be loaded by name. A context source lists them. */
  readonly skills?: SkillShelf;
  /** Where more tools come from while the session is open. With one, other tools than those in force wait: see `takeTools`. */
  readonly toolSources?: readonly ToolSource[];
  /** Those of `tools` that the sources gave last. Kept by the runtime. */
  readonly given?: readonly Tool[];
  /** When other tools than those in force are to be taken where the model takes none appended: see `RequestSpec`. */
  readonly takeTools?: RequestSpec['takeTools'];
  /** Who makes images fit to be sent. Without one they are sent as they are. */
  readonly images?: ImageFitter;
  readonly sources: readonly ContextSource[];
  readonly limits: TurnLimits;
  readonly retry: RetryPolicy;
  /** Tokens that an answer may have. */
  readonly outputLimit: number;
  /** What is set of the window's budgets: what is kept free, where a warning begins. The usual ones by default. */
  readonly budgets?: BudgetSettings;
  /** Who may compact. Absent, a resumed turn keeps the policy that it was begun with, and any other turn has `preflight`. */
  readonly compaction?: CompactionPolicy;
  /** Who writes a checkpoint where a compaction names nobody: `deterministic` by default. */
  readonly compactionBy?: CompactionBy;
  /** How long what is cached shall live. */
  readonly ttl: Lasting;
  /** Whether what is cached is kept while the session is open and nobody prompts; `off` by default. */
  readonly warm?: Warm;
  /** What goes into each body beside the context. It is for this provider, and so are `betas`. */
  readonly envelope: { readonly [name: string]: JsonValue };
  readonly betas: readonly string[];
  /** How long a provider may be silent inside a call, in milliseconds: then the call is cut. 180,000 by default. */
  readonly idleMs?: number;
  readonly ask?: Asker;
  /** What the user allows, forbids and wants to be asked, beyond the mode. */
  readonly rules?: RuleSet;
  /** Grants that hold for every session of the workspace. A subagent has none: no person was shown its work. */
  readonly grants?: ProjectGrants;
  /** The size from which a step that pays again is reported before it is sent. Default: `REWRITE_NOTICE`. */
  readonly rewriteNotice?: RewriteNotice;
  /** What is executed need not ask in mode `auto`, sandbox or not. */
  readonly allowUnsandboxed: boolean;
  /** Holds back calls that would write what another one is writing; shared by sessions with one provider. */
  readonly gate?: CacheWriteGate;
  /** What bounds its subagents. Without it the session starts none; one that a crash left behind is ended all the same. */
  readonly subagents?: SubagentLimits;
  /** Of a subagent: the front of the session that asked for it. Its own first epoch opens with that, where that serves it. */
  readonly inherits?: InheritedFront;
  /** Tells at the end of a turn what it changed around the session. */
  readonly watch?: TurnWatch;
  /** Sees each body before it goes out; it gets a copy. */
  readonly onRequest?: (body: Uint8Array) => void;
  readonly surroundings: Surroundings;
}

/**
 * Whether pauses are kept warm. `auto`: by promotions where the model's row says that they were verified, and by reads where
 * no longer life is for sale, which is cheaper in most sessions. With a share: by either, for at most so much of what the
 * session has cost so far; a tenth with `auto`.
 */
export type Warm = 'off' | 'auto' | { readonly share: number };

/** What a turn may take; absent is no limit. Reaching one ends the turn as `limited`, and `resume` goes on. */
export interface TurnLimits {
  readonly steps?: number;
  /** Milliseconds of work. */
  readonly ms?: number;
  /** Input and output together. A call whose forecast input would exceed it is not made. */
  readonly tokens?: number;
  /** US dollars as an exact decimal. A call whose forecast would exceed it is not made. */
  readonly cost?: string;
}

/**
 * From how much on a step that pays again for what was sent before is said first, and in mode `ask` asked about. Either
 * is enough; an absent one is never reached.
 */
export interface RewriteNotice {
  readonly tokens?: number;
  /** US dollars as an exact decimal, above reading the same tokens. */
  readonly cost?: string;
}

/** Twenty cents, or 50,000 tokens where that is less or nobody knows the price. */
export const REWRITE_NOTICE: RewriteNotice = { tokens: 50_000, cost: '0.20' };

/** How failures that may pass are tried again. */
export interface RetryPolicy {
  /** Sendings of one step in all. */
  readonly attempts: number;
  /** The first pause in milliseconds; it doubles, up to `maxDelayMs`, with chance in it. A provider's own word goes first. */
  readonly initialDelayMs: number;
  readonly maxDelayMs: number;
  /** The longest pause in milliseconds that a provider is given when it asks for one; a longer one ends the turn. Default: 120,000. */
  readonly maxRetryAfterMs?: number;
}

/** Four sendings, with 35 seconds between them at most; longer where the provider says how long. */
export const RETRY: RetryPolicy = { attempts: 4, initialDelayMs: 5_000, maxDelayMs: 20_000, maxRetryAfterMs: 120_000 };

/** What bounds each subagent of a session. All of them together are bounded by what the turn that starts them has left. */
export interface SubagentLimits extends TurnLimits {
  /** How many work at once: 4 by default. */
  readonly parallel?: number;
  /** How many a session starts in all: 32 by default. */
  readonly total?: number;
  /** How deep they go. 1, by default, is subagents that start none. */
  readonly depth?: number;
}

/** What holds where nothing is said: 50 answers and ten minutes for each. */
export const SUBAGENT_LIMITS: Required<Omit<SubagentLimits, 'tokens' | 'cost'>> = {
  parallel: 4,
  total: 32,
  depth: 1,
  steps: 50,
  ms: 600_000,
};

/** How long entries are asked to live: a fixed life, or `auto`, chosen from the pauses of the session and the model's prices. */
export type Lasting = Lifetime | 'auto';

/** Shared by the sessions whose calls one provider's cache serves. */
export interface CacheWriteGate {
  /**
   * Waits while another call is about to write one of these entries, and returns when this one may go, or the signal has
   * aborted. Whoever fails lets the next one write.
   */
  enter(entries: readonly string[], signal: AbortSignal): Promise<Passage>;
}

/** A call that has gone through. */
export interface Passage {
  /** Its answer has begun: what it wrote can be read. */
  begun(): void;
  /** It is over. Without a beginning it has written nothing. */
  over(): void;
}

/** Compares the surroundings at the end of a turn with those before its first call that could change something. */
export interface TurnWatch {
  /** Looks for the first time. What it returns looks again, and gives what a person should be told. */
  begin(): Promise<() => Promise<readonly Notice[]>>;
}
