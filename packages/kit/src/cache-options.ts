// Options of `createAgent` for the provider's cache and for the length of the history.

import type { CompactionBy, CompactionPolicy, Lasting, RewriteNotice, Runtime, Warm } from '@tidemark/agent';
import type { PaddingSetting } from '@tidemark/log';

/** Options for the provider's cache. */
export interface CacheOptions {
  /** Lifetime requested for cached prefixes. Default: `auto`, which uses the pauses of the session so far. */
  readonly ttl?: Lasting;
  /**
   * Use of padding. Padding is text that is added to a front that is too short for the model's cache (below the floor).
   * `auto` adds the padding if this is expected to lower the cost. `always` adds it to every front below the floor.
   * `never` adds no padding. The padding is a guide about work in a folder. The default is therefore `never` with the
   * `brief` runtime instructions, else `auto`.
   */
  readonly padding?: PaddingSetting;
  /**
   * Policy for keeping the cached prefix alive while a session is open and waits for a prompt. `auto`, the default,
   * does this only if this is known to be cheaper. It spends at most a tenth of the session's cost on it. `{ share: 0.1
   * }` does this whenever it is expected to lower the cost. It spends at most this share of the session's cost. `off`
   * never does this.
   */
  readonly warm?: Warm;
  /**
   * Number of other sessions that are expected to use the same front within five minutes. With the padding `auto`,
   * these sessions are included when the saving is calculated. Default: 0.
   */
  readonly neighbours?: number;
  /**
   * Threshold for reporting a step that is billed again for content already sent. If the step reaches this size, it is
   * reported before it is sent, and in mode `ask` the user is asked. Default: 50,000 tokens or $0.20. `{}` turns the
   * report off.
   */
  readonly rewriteNotice?: Omit<RewriteNotice, 'cost'> & { readonly cost?: string | number };
}

/** Options for making a long history shorter. */
export interface CompactionOptions {
  /**
   * Policy for compacting the history. With `manual` only `session.compact()` compacts, without exception. With
   * `preflight`, the default, the runtime also compacts in three cases: the next request is near the end of the window,
   * a starting turn is expected to reach the end of the window, or a provider refused a request as too long. With
   * `auto` the runtime also compacts earlier, when the input reaches the `hard` budget.
   */
  readonly when?: CompactionPolicy;
  /**
   * Writer of checkpoints. `auto`, the default, asks the model if the history can be read from the cache. Otherwise it
   * builds the checkpoint from the log alone. `model` asks the model even if the history is not in the cache.
   * `deterministic` uses the log alone. If the model fails, the checkpoint is built from the log alone. The call to the
   * model is a side call of the turn, so its price counts toward the turn's limit.
   */
  readonly by?: CompactionBy;
  /**
   * Token budgets of the window that replace the computed ones. `reserve` is kept free. `soft` is the input size from
   * which a warning is given. `hard` is the maximum input after a compaction. With `when: 'auto'` it is also the input
   * size from which the runtime compacts. `tail` is the size of the tail that a compaction keeps.
   */
  readonly budgets?: NonNullable<Runtime['budgets']>;
  /**
   * Shortening of old tool results (pruning). `auto`, the default, shortens results if this lowers the cost. Superseded
   * results can be shortened at any time. When the window is half full, results that the latest turns did not use are
   * shortened too. The model can read each full result back with a tool.
   */
  readonly pruning?: 'auto' | 'never';
}
