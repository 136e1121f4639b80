// Cache entry that a session names to another session.

import type { CacheWrite } from '@tidemark/core';
import type { Digest, Timestamp } from '../ids.ts';

/**
 * Cache entry that a session left for the other sessions of its root: a front, or the beginning of a history that they
 * share.
 */
export interface SharedEntry {
  readonly section: 'tools' | 'system' | 'messages';
  /** Number of blocks in the request that wrote the entry. */
  readonly of: number;
  /** True if the entry ends in the messages and its request contained an image. */
  readonly images?: boolean;
  /** Index of the last block of the entry. */
  readonly block: number;
  /** Running digest up to and including the block with the index `block`. */
  readonly prefix: Digest;
  /** Digests of the render parameters by section. */
  readonly parameters: { readonly tools: Digest; readonly system: Digest; readonly messages: Digest };
  /** Cache key that the provider stores the entry under. Absent if the request sent none. */
  readonly key?: string;
  /** Provider account whose cache contains the entry. Absent if unknown. */
  readonly account?: string;
  /**
   * Tokens up to the end of the entry. The provider counted them for a call, or they are derived from other counts of
   * the same session.
   */
  readonly tokens?: number;
  /** Lifetime (TTL) that was paid for when the entry was written. */
  readonly ttl?: CacheWrite['ttl'];
  /**
   * Set for an entry that the provider creates without a marker. Lifetimes are in milliseconds. `idle` is the lifetime
   * after the last use of the entry. `age` is the maximum lifetime in total, from the time `born` at which the entry
   * was written.
   */
  readonly kept?: { readonly idle: number; readonly age?: number; readonly born: Timestamp };
  /** Start time of the request that wrote the entry or read it last. */
  readonly at: Timestamp;
}
