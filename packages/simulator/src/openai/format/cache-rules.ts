// Which cache a model has (§2.1): GPT-5.6 and later write entries at message ends and marks, older ones on a grid of
// tokens, Claude behind a router by Anthropic's markers; of other upstreams nothing is known.

import type { Capabilities } from '@tidemark/model';

/** The rules of one model's cache. */
export type CacheRules =
  | { readonly kind: 'boundaries' }
  /** Entries of `first`, `first + step`, ... tokens. */
  | { readonly kind: 'grid'; readonly first: number; readonly step: number }
  | { readonly kind: 'markers' }
  | { readonly kind: 'unknown' };

/** The rules that a catalog row stands for. Who sells its lifetimes by name (30m) sells its writes, too. */
export function cacheRulesOf(capabilities: Capabilities): CacheRules {
  if (capabilities.provider === 'anthropic') return { kind: 'markers' };
  if (capabilities.provider !== 'openai') return { kind: 'unknown' };
  if (capabilities.ttls.includes('30m')) return { kind: 'boundaries' };
  return isHalfWay(capabilities.model) ? EVERY_2048 : CLASSIC;
}

/** GPT-5.5 and 5.5 Pro: free writes, but only `24h` retention (§2.1). */
export function isHalfWay(model: string): boolean {
  return /^gpt-5\.5(-|$)/.test(model);
}

const EVERY_2048: CacheRules = { kind: 'grid', first: 2048, step: 2048 };
/** "Model-dependent interval" today; the classic text is taken: from 1,024 in steps of 128 [I]. */
const CLASSIC: CacheRules = { kind: 'grid', first: 1024, step: 128 };
