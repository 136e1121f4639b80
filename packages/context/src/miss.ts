// Usage against forecast: tokens that were sent before on this stream and had to be paid again, and why.

import type { Miss, MissCause, Money, Timestamp, Usage } from '@tidemark/log';
import { money } from '@tidemark/log';
import type { Capabilities, Ttl } from '@tidemark/model';
import { costOf, priceAt } from '@tidemark/model';
import { Decimal } from 'decimal.js';
import type { Loss } from './forecast.ts';

/** What a miss is judged from. */
export interface MissInput {
  readonly capabilities: Capabilities;
  readonly at: Timestamp;
  readonly usage: Usage;
  /** Tokens of this request that the cache held after the request before it on its stream. */
  readonly held: number;
  /** The loss that was known before sending. */
  readonly loss: Loss | undefined;
  /** This session called more often than one machine takes of one key. */
  readonly crowded?: boolean;
}

/** The miss of an answered call; `undefined` when it read all it could, or when its usage is unknown. */
export function missOf(input: MissInput): Miss | undefined {
  const { usage, held, loss } = input;
  if (usage.read === undefined) return undefined;
  const tokens = held - usage.read;
  if (tokens <= 0) return undefined;
  const cause: MissCause = loss?.cause ?? unforeseen(input);
  const ttl = usage.writes?.find((write) => write.tokens > 0)?.ttl ?? input.capabilities.ttls[0];
  const cost = rewriteCost({ capabilities: input.capabilities, at: input.at, input: totalOf(usage), tokens, ttl });
  return { cause, tokens, ...(cost === undefined ? {} : { cost }) };
}

/** What was expected to be there and was not: on another machine, where the key tells which. Of an eviction nobody is told. */
function unforeseen({ capabilities, crowded = false }: MissInput): MissCause {
  return capabilities.routing === 'by-key' && crowded ? 'overflow-routing' : 'unknown';
}

/** Tokens that are paid anew where they could have been read. */
export interface Rewrite {
  readonly capabilities: Capabilities;
  readonly at: Timestamp;
  /** Input tokens of the whole request: its length may set its price. */
  readonly input: number;
  readonly tokens: number;
  /** The life they are written with; absent where writes are free, and such tokens are as any fresh ones. */
  readonly ttl: Ttl | undefined;
}

/** What paying tokens anew costs above reading them; `undefined` when a price is unknown. */
export function rewriteCost(rewrite: Rewrite): Money | undefined {
  const price = priceAt(rewrite.capabilities, rewrite.at.slice(0, 10), rewrite.input);
  if (price === undefined) return undefined;
  const { tokens, ttl } = rewrite;
  const anew = ttl === undefined ? { fresh: tokens, writes: [] } : { fresh: 0, writes: [{ ttl, tokens }] };
  const written = costOf(price, { ...anew, read: 0, answer: 0 });
  const read = costOf(price, { fresh: 0, read: tokens, writes: [], answer: 0 });
  return written && read ? money(new Decimal(written.total).minus(read.total).toFixed()) : undefined;
}

function totalOf(usage: Usage): number {
  const written = (usage.writes ?? []).reduce((sum, write) => sum + write.tokens, 0);
  return (usage.fresh ?? 0) + (usage.read ?? 0) + written;
}
