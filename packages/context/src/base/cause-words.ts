// Causes for which tokens are paid again, as plain clauses that can precede a colon: "the tool list changed: …".

import type { EpochCause, MissCause } from '@tidemark/log';

/**
 * Origin of a cause: a change made by this session (`change`), the age of the cache entry (`time`), the provider's
 * rules (`provider`), or the behaviour of the provider's cache (`cache`).
 */
export type CauseGroup = 'change' | 'time' | 'provider' | 'cache';

const CAUSES: Readonly<Record<EpochCause | MissCause, readonly [CauseGroup, string]>> = {
  initial: ['change', 'the first request of the session'],
  model: ['change', 'the model changed'],
  reasoning: ['change', 'the reasoning setting changed'],
  parameters: ['change', 'a setting of the model changed'],
  tools: ['change', 'the tool list changed'],
  skills: ['change', 'the list of skills changed'],
  contract: ['change', 'the prompt contract changed'],
  role: ['change', "the agent's own system text changed"],
  compaction: ['change', 'a checkpoint replaced older history'],
  pruning: ['change', 'old tool results were shortened'],
  quarantine: ['change', 'a block that the provider rejects was replaced'],
  opened: ['change', 'an epoch opened'],
  parameter: ['change', 'a setting that the cache depends on changed'],
  account: ['change', 'another account was used, and accounts do not share a cache'],
  expired: ['time', 'the cache entry had expired'],
  image: ['provider', 'an image was added or removed, and the provider caches messages with images separately'],
  'thinking-stripped': ['provider', 'the provider strips the thinking of earlier turns'],
  'below-floor': ['provider', 'the request is below the floor, the smallest prefix that the model caches'],
  lookback: ['cache', 'the cache entry is further back than the provider searches'],
  evicted: ['cache', 'the provider dropped the cache entry before it expired'],
  racing: ['cache', 'the answer to the previous call had not begun when this call was sent'],
  'overflow-routing': ['cache', 'too many calls a minute shared one cache key'],
  unknown: ['cache', 'the cause is unknown'],
};

/** Returns the cause as a clause: `the tool list changed`. */
export function causeInWords(cause: EpochCause | MissCause): string {
  return CAUSES[cause][1];
}

/** Returns several causes as one clause: `the model changed; also, the tool list changed`. */
export function causesInWords(causes: readonly (EpochCause | MissCause)[]): string {
  return causes.map(causeInWords).join('; also, ');
}

export function groupOfCause(cause: EpochCause | MissCause): CauseGroup {
  return CAUSES[cause][0];
}

/** Returns true if a text is the name of a cause. */
export function isCause(text: string): text is EpochCause | MissCause {
  return Object.hasOwn(CAUSES, text);
}
