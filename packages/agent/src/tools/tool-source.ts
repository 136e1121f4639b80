// The port of a tool source: tools that come from elsewhere while a session is open, and may change or go there. It is asked
// before each request and before each batch of calls, so nothing has to be pushed, and nothing moves inside a step.

import type { ToolSpec } from '@tidemark/context';
import type { Tool } from './tool.ts';

/** See the head of this file. One source serves any number of sessions. */
export interface ToolSource {
  /** Ends when its tools are there, or its patience is over; at once from then on. Never throws. */
  ready(signal: AbortSignal): Promise<void>;
  /**
   * The tools for a session that is shown these definitions of any origin. What it offers under a shown name keeps the
   * definition that was shown, its call answered with an error while nobody can serve it, unless its maker took the tool
   * back or a changed definition was approved. Equal state, equal tools: the same objects.
   */
  offer(shown: readonly ToolSpec[]): ToolOffer;
  /** Ends what it started. A second call does nothing. */
  close(): Promise<void>;
}

/** What a source has for a session. */
export interface ToolOffer {
  readonly tools: readonly Tool[];
  /** Definitions that are other ones than those approved under their names: not offered until somebody says so. */
  readonly held: readonly HeldTool[];
  /** What a person should know of it now: told once for each message. */
  readonly troubles: readonly ToolTrouble[];
}

/** A definition that waits for a person. */
export interface HeldTool {
  readonly name: string;
  /** What is known under this name: what a model was shown, or what was approved. */
  readonly was: ToolSpec;
  readonly is: ToolSpec;
  /** Takes this very definition. */
  approve(): void;
}

/** Something that is wrong with a source, and the next step. */
export interface ToolTrouble {
  readonly code: string;
  readonly message: string;
  readonly next: string;
}
