// Row of the collected facts in the form of their file, and conversions that the catalog rows of all makers use.

import type { Price, PriceList } from '@tidemark/model';

/** Prices in US dollars per million tokens. `null` means "not found" or "not sold". */
export interface FactPrice {
  readonly input: number;
  readonly output: number;
  readonly cache_read?: number | null;
  readonly cache_write_5m?: number | null;
  readonly cache_write_1h?: number | null;
  readonly cache_write_30m?: number | null;
  readonly cache_write_12h?: number | null;
}

/** One row of `models.json`. */
export interface Fact {
  readonly provider: 'anthropic' | 'openai' | 'google' | 'deepseek';
  readonly id: string;
  readonly context_window: number;
  readonly max_input: number | null;
  readonly max_output: number;
  readonly price_per_mtok: FactPrice;
  readonly min_cacheable_tokens: number | null;
  /**
   * Price tiers by prompt length or by time of day. Tiers by time of day do not fit a price list and stay in the notes.
   */
  readonly tiers?: readonly (FactPrice & { readonly prompt_tokens_above?: number; readonly when?: string })[];
  readonly source: string;
  readonly as_of: string;
  readonly notes?: string;
}

/** Start date of a price that has applied since the model was released, as far as is known. */
export const ALWAYS = '0001-01-01';

/**
 * Converts the prices of a fact into those of the catalog. A write lifetime with the price 0 or without a price is
 * omitted, because a free write does not count as a write.
 */
export function priceOf(fact: FactPrice): Price {
  return {
    input: String(fact.input),
    output: String(fact.output),
    ...(typeof fact.cache_read === 'number' ? { read: String(fact.cache_read) } : {}),
    writes: Object.fromEntries(
      (['5m', '1h', '30m', '12h'] as const).flatMap((ttl) => {
        const value = fact[`cache_write_${ttl}`];
        return value ? [[ttl, String(value)]] : [];
      }),
    ),
  };
}

/** Returns the price list of a row: its base price, then its tiers by prompt length. */
export function priceListOf(fact: Fact, from: string = ALWAYS): PriceList {
  const longer = (fact.tiers ?? []).flatMap(({ prompt_tokens_above: above, ...price }) =>
    above === undefined ? [] : [{ above, price: priceOf(price) }],
  );
  return { from, tiers: [{ above: 0, price: priceOf(fact.price_per_mtok) }, ...longer] };
}

/** Returns the cache floor of the row. The field is absent if the floor is unknown. */
export function floorOf(fact: Fact): { readonly floor?: number } {
  return fact.min_cacheable_tokens === null ? {} : { floor: fact.min_cacheable_tokens };
}

/** Joins the notes into one line, without empty ones. */
export function notesOf(...notes: readonly (string | undefined)[]): { readonly notes?: string } {
  const text = notes.filter((note) => note !== undefined && note !== '').join('; ');
  return text === '' ? {} : { notes: text };
}
