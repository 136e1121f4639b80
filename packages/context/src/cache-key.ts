// The cache key: a routing hint that sessions of one family share. It holds no prompt text and nothing volatile.

import { canonicalText } from '@tidemark/log';
import type { NewHash } from '@tidemark/model';

/** What tells one family's front from another's. */
export interface KeyInput {
  readonly contract: string;
  readonly model: string;
  /** The root session: forks and subagents inherit it. */
  readonly root: string;
  /** Digests of the tools, in order. */
  readonly tools: readonly string[];
  /** Digest of the skills index, if there is one. */
  readonly skills?: string;
}

/**
 * The contract's name and 12 hex digits each of the model, the root session, the tool list and the skills index: 55
 * characters for `tm1`, within the 64 that OpenAI takes.
 */
export function cacheKey(input: KeyInput, newHash: NewHash): string {
  const short = (value: unknown): string => newHash().update(canonicalText(value)).hex().slice(0, 12);
  return [input.contract, short(input.model), short(input.root), short(input.tools), short(input.skills ?? null)].join(
    '.',
  );
}
