// A block: what a provider makes of a part of a span, the unit that markers, lookback and divergence speak of.

import type { Origin, Role } from './span.ts';
import type { Ttl } from '@tidemark/core';

/** Which part of the request a block stands in, in the provider's cache order. */
export type Section = 'tools' | 'system' | 'messages';

/** How a block counts in the lookback where a run of its like is one position. */
export type BlockRun = 'calls' | 'results' | 'none';

/**
 * One block of a request: its bytes on both sides of the slot for a marker. `head + tail` is the block without a marker;
 * that is what the prefix sequence holds.
 */
export interface Block {
  readonly section: Section;
  /** Of the message it stands in; `system` for the front. */
  readonly role: Role;
  /** Blocks of one group and role share a message. -1 in the front. */
  readonly group: number;
  readonly head: string;
  readonly tail: string;
  /** Whether the provider accepts a marker on it. */
  readonly markable: boolean;
  readonly run: BlockRun;
  /** What it holds: for rules that depend on it (images, thinking). */
  readonly holds: 'tool' | 'text' | 'image' | 'thinking' | 'call' | 'result' | 'native' | 'change';
  /** A new user turn begins here. */
  readonly opensTurn: boolean;
  readonly origin: Origin;
  /** Which part of its span it was made from. Absent in the front. */
  readonly part?: number;
  /** Estimated tokens, unless `sized` says that they are recorded. */
  readonly tokens: number;
  /** Bytes of media in it, decoded. */
  readonly mediaBytes: number;
  /** Beta headers that a body with this block needs. */
  readonly betas?: readonly string[];
}

/** A marker: on the block at this index of the request. */
export interface Marker {
  readonly block: number;
  readonly ttl: Ttl;
}
