// Describes the causes for which tokens are paid again. Each description is a plain clause that can precede a colon:
// "the tool list changed: …".

import type { EpochCause, MissCause } from '@tidemark/log';

/**
 * Origin of a cause: a change made by this session (`change`), the age of the cache entry (`time`), the provider's
 * rules (`provider`), or the behaviour of the provider's cache (`cache`).
 */
export type CauseGroup = 'change' | 'time' | 'provider' | 'cache';

/**
 * Cause that the provider's counts show. It is used for a call of another program, because the log of such a call names
 * no cause. `front-changed-or-evicted`: nothing was read although the entry had not expired. `front-changed`: a
 * diagnosis or the recorded requests prove the change. `history-changed`: the front was read and the history was not.
 * `edited`: a part of the history was read. `not-cached`: the program asked for no cache.
 */
export type CountedCause = 'front-changed-or-evicted' | 'front-changed' | 'history-changed' | 'edited' | 'not-cached';

/** Cause for which tokens are paid again. */
export type LossCause = EpochCause | MissCause | CountedCause;

const CAUSES: Readonly<Record<LossCause, readonly [CauseGroup, string]>> = {
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
  'front-changed-or-evicted': [
    'change',
    'nothing was read within the lifetime: the system text or the tool list changed, or the provider dropped the entry',
  ],
  'front-changed': ['change', 'the system text or the tool list changed'],
  'history-changed': ['change', 'the history changed; only the front was read'],
  edited: ['change', 'the history was edited after the part that was read'],
  'not-cached': ['change', 'the program asked for no cache'],
  unknown: ['cache', 'the cause is unknown'],
};

/** Returns the cause as a clause: `the tool list changed`. */
export function causeInWords(cause: LossCause): string {
  return CAUSES[cause][1];
}

/** Returns several causes as one clause: `the model changed; also, the tool list changed`. */
export function causesInWords(causes: readonly LossCause[]): string {
  return causes.map(causeInWords).join('; also, ');
}

export function groupOfCause(cause: LossCause): CauseGroup {
  return CAUSES[cause][0];
}

/** Returns true if a text is the name of a cause. */
export function isCause(text: string): text is LossCause {
  return Object.hasOwn(CAUSES, text);
}
