// Chooses how long the next cache entry is asked to live: five minutes, or an hour at a dearer write.

import type { Capabilities, Price, Ttl } from '@tidemark/model';
import { multiplier } from '@tidemark/model';
import { LIFE } from './entries.ts';
import type { Pauses } from '../state/pauses.ts';
import { stakes } from '../state/pauses.ts';
import type { CacheEntry } from '../state/state.ts';

/** How long an entry may be asked to live. */
export type Lifetime = '5m' | '1h';

/** Input of `chooseLifetime`. */
export interface LifetimeInput {
  /** Pauses of the stream, the one before this request included. */
  readonly pauses: Pauses;
  readonly capabilities: Capabilities;
  /** The price of this request. Without a price the entry lives five minutes. */
  readonly price: Price | undefined;
  /** Tokens of this request. */
  readonly tokens: number;
  /**
   * Measured tokens that the cache held before this request and that this request sends again: the size of one rewrite, on the
   * scale of `pauses`. The default is `tokens`, which may be an estimate.
   */
  readonly held?: number | undefined;
  /** The longest entry that this request reads. New entries stand after it. */
  readonly behind: Pick<CacheEntry, 'ttl' | 'section'> | undefined;
  /** Rewrites of `held` that an hour must have saved. The default is the fitted value; benchmarks pass others to fit it. */
  readonly margin?: number;
}

/**
 * Rewrites that an hour must have saved on a stream before an hour is bought, each of the tokens that the cache held last.
 * Above 1, so that one pause is not enough: in the recorded sessions three of seven streams had a second pause within the
 * hour after the first one, and all three that had two had a third. Fitted by leaving one session out; each value from 1.1
 * to 1.3 gives the same table (docs/decisions/2026-11-22-lifetime-prior.md, `npm run bench -- lifetime`).
 */
const MARGIN = 1.2;

/** Share of the margin that keeps a history on an hour once it lives an hour: it changes back later than it changed. */
const STAYING = 0.5;

/**
 * Returns `1h` where an hour would have saved this stream more than `margin` rewrites up to now, else `5m`. A pause between
 * five minutes and an hour would have saved one short write less one read of each token held. A longer pause, or a break
 * that no life outlasts, would have cost the premium of each token held. Savings and rewrites are counted in tokens, so
 * pauses of a small prefix do not buy an hour for a large one.
 *
 * A stream without pauses begins with `5m`. After an entry of five minutes the result is always `5m`: no provider is known
 * to keep an entry longer than the entry before it.
 */
export function chooseLifetime(input: LifetimeInput): Lifetime {
  const { behind, pauses, tokens, held = tokens, margin = MARGIN } = input;
  const rates = ratesOfLives(input);
  if (behind?.ttl === '5m' || rates === undefined) return '5m';
  const { kept, lost } = stakes(pauses, LIFE['5m'], LIFE['1h']);
  const saved = kept * rates.rewrite - lost * rates.premium;
  const needed = margin * rates.rewrite * held;
  return saved > needed * (behind?.section === 'messages' ? STAYING : 1) ? '1h' : '5m';
}

/** The life that a provider's own entries are written with: the first that the row has a price for. None is told of free ones. */
export function keptLife({ ttls, prices }: Capabilities): Ttl | undefined {
  const isPriced = (ttl: Ttl): boolean =>
    prices.some(({ tiers }) => tiers.some(({ price }) => price.writes[ttl] !== undefined));
  return ttls.find(isPriced);
}

/** Costs per token in base input prices: a short write less a read, and a long write less a short one. */
interface LifeRates {
  readonly rewrite: number;
  readonly premium: number;
}

/** Returns `undefined` where there is no choice, no price, or no saving. */
function ratesOfLives({ capabilities, price }: LifetimeInput): LifeRates | undefined {
  if (price === undefined || !capabilities.ttls.includes('1h')) return undefined;
  const long = multiplier(price, '1h');
  const short = multiplier(price, '5m');
  const read = multiplier(price, 'read');
  if (long === undefined || short === undefined || read === undefined) return undefined;
  const rewrite = Number(short) - Number(read);
  return rewrite <= 0 ? undefined : { rewrite, premium: Number(long) - Number(short) };
}
