// Block: the provider's form of one part of a span. The positions of markers, lookback and divergence are counted in
// blocks.

import type { Origin, Role } from './span.ts';
import type { Ttl } from '@tidemark/core';

/** Sections of a request, in the order in which the provider caches them. */
export type Section = 'tools' | 'system' | 'messages';

/**
 * Kind of run that a block belongs to. A run is a series of consecutive blocks. Some providers count a run of calls or
 * a run of results as one lookback position.
 */
export type BlockRun = 'calls' | 'results' | 'none';

/**
 * One block of a request. A marker is inserted between `head` and `tail`. The block without a marker is `head + tail`.
 * The prefix sequence stores this form.
 */
export interface Block {
  readonly section: Section;
  /** Role of the message that contains the block; `system` for blocks of the front. */
  readonly role: Role;
  /** Message number: blocks with the same group and role share one message. -1 for blocks of the front. */
  readonly group: number;
  readonly head: string;
  readonly tail: string;
  /** True if the provider accepts a marker on this block. */
  readonly markable: boolean;
  readonly run: BlockRun;
  /** Kind of content of the block. Some rules, for example for images and thinking, depend on it. */
  readonly holds: 'tool' | 'text' | 'image' | 'thinking' | 'call' | 'result' | 'native' | 'change';
  /** True if a new user turn begins at this block. */
  readonly opensTurn: boolean;
  readonly origin: Origin;
  /** Index of the part of the span that the block was made from. Absent for blocks of the front. */
  readonly part?: number;
  /** Estimated tokens. For a system text with a recorded count, the recorded tokens. */
  readonly tokens: number;
  /** Size of the media in the block, in decoded bytes. */
  readonly mediaBytes: number;
  /** Beta headers that a request with this block must send. */
  readonly betas?: readonly string[];
}

/** A cache marker. `block` is the index of the marked block in the request. */
export interface Marker {
  readonly block: number;
  readonly ttl: Ttl;
}
