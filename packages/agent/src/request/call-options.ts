// What a call is made with, and what is known of it before it is made.

import type { Timestamp, TurnId } from '@tidemark/log';
import type { BudgetSettings, ForeseenRewrite, Gauge, Outlook, RequestSpec } from '@tidemark/context';
import type { Capabilities, Encoder, JsonValue } from '@tidemark/model';
import type { Lasting } from './call-life.ts';
import type { Resize } from './prompt-stream.ts';
import type { Beside } from './request-record.ts';

/** What the next call is made with. */
export interface CallOptions {
  readonly at: Timestamp;
  readonly wanted: RequestSpec;
  readonly capabilities: Capabilities;
  readonly encoder: Encoder;
  /** The account that is asked; absent where it is not known. */
  readonly account?: string | undefined;
  readonly outputLimit: number;
  readonly purpose?: string;
  readonly attempt?: number;
  /** What is set of the window's budgets; the usual ones unless said. */
  readonly budgets?: BudgetSettings;
  /** How long what is written shall live; `auto` unless said. */
  readonly ttl?: Lasting;
  readonly envelope?: { readonly [name: string]: JsonValue };
  readonly betas?: readonly string[];
  /** Set for a side call, which is made in the epoch in force, whatever is wanted now. */
  readonly beside?: Beside;
  /** Whether the provider can go on from an earlier answer by its id. */
  readonly continues?: boolean;
  /** Sizes that a recording knows. */
  readonly resize?: Resize;
  /** The turn that asks: its records carry it. */
  readonly turn?: TurnId;
  /** Whether old results may be shortened where that pays; `never` unless said. */
  readonly pruning?: 'auto' | 'never';
  /** Whether the runtime compacts by itself where the window is nearly full: it does not unless said. */
  readonly compacts?: boolean;
  /** Asked before anything is committed: what it throws leaves the log as it was. */
  readonly admit?: (foreseen: Foreseen) => void;
}

/** What is known of a call before anything of it is committed. */
export interface Foreseen {
  readonly step: number;
  /** How full the request is; absent for a side call. */
  readonly gauge: Gauge | undefined;
  readonly outlook: Outlook;
  /** What it pays again of what was sent before; absent when it reads all of that. */
  readonly rewrite: ForeseenRewrite | undefined;
}
