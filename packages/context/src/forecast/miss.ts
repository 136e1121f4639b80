// Usage against forecast: tokens that were sent before on this stream and had to be paid again, and why.

import type { CallForecast, Miss, Money, Timestamp, Usage } from '@tidemark/log';
import { money } from '@tidemark/log';
import type { Capabilities, Ttl } from '@tidemark/model';
import { costOf, inputTokens, priceAt } from '@tidemark/model';
import { Decimal } from 'decimal.js';
import { expectedInput } from '../base/expected-input.ts';
import type { HeldBy } from './forecast.ts';
import type { MissEvidence } from './miss-cause.ts';
import { causesOfMiss } from './miss-cause.ts';
import { onGrid } from '../base/on-grid.ts';

/** What a miss is judged from. */
export interface MissInput extends MissEvidence {
  readonly capabilities: Capabilities;
  readonly at: Timestamp;
  readonly usage: Usage;
  /** Tokens of this request that the cache held after the request before it on its stream. */
  readonly held: number;
  readonly heldBy: HeldBy;
  readonly forecast: Pick<CallForecast, 'read' | 'write' | 'fresh'>;
  /** Tokens of this request that another call had sent and whose answer had not begun when this one was sent. An estimate. */
  readonly racing?: number;
}

/**
 * The miss of an answered call; `undefined` when it read all it could, or when its usage is unknown. It is never more than what the
 * call paid.
 */
export function missOf(input: MissInput): Miss | undefined {
  const { usage } = input;
  if (usage.read === undefined) return undefined;
  const held = heldOf(input);
  const raced = racedOf(input, held);
  const tokens = (raced ?? held) - usage.read;
  if (tokens <= 0) return undefined;
  const [cause, ...also] = raced !== undefined ? (['racing'] as const) : causesOfMiss(input);
  const ttl = lifeWritten(usage, input.capabilities);
  const cost = rewriteCost({ capabilities: input.capabilities, at: input.at, input: totalOf(usage), tokens, ttl });
  return { cause, ...(also.length === 0 ? {} : { also }), tokens, ...(cost === undefined ? {} : { cost }) };
}

/**
 * The life of what the call wrote; absent where it wrote nothing, and paid all as fresh input. Where no life is told, it is the first
 * that the model has.
 */
function lifeWritten({ writes, written }: Usage, { ttls }: Capabilities): Ttl | undefined {
  if (writes !== undefined) return writes.find(({ tokens }) => tokens > 0)?.ttl;
  return written === 0 ? undefined : ttls[0];
}

/** A read that is this much below an estimated size, as a share of it, is no error of the estimate. */
const BEYOND_ESTIMATE = 0.25;

/**
 * What the cache held of this request, up to what the call came to. Words that the model counted before keep their size: all that
 * the call came to beyond its forecast is due to its new words. Of a model that counted none of them, the error of the forecast is
 * shared by old and new words. Where no loss was foreseen, a small difference is an error of the estimate.
 */
function heldOf({ capabilities, usage, held, heldBy, forecast, loss }: MissInput): number {
  const { read = 0 } = usage;
  const total = inputTokens(usage);
  if (held === 0 || total === undefined) return held;
  if (heldBy === 'count') return Math.min(held, total);
  if (loss === undefined && held - read <= BEYOND_ESTIMATE * held) return read;
  const expected = expectedInput(forecast);
  if (heldBy === 'scale' || expected === 0) return Math.min(held, total);
  const shared = Math.round((held * total) / expected);
  const { implicit } = capabilities;
  return implicit?.at === 'grid' ? onGrid(shared, implicit) : Math.min(shared, total);
}

/**
 * What another call was writing of this request, up to what this call came to. `undefined` where this call lost no race: it read less
 * than the cache held, or most of what was being written.
 */
function racedOf({ usage, racing = 0 }: MissInput, held: number): number | undefined {
  const { read = 0 } = usage;
  const raced = Math.min(racing, inputTokens(usage) ?? racing);
  // Its size is an estimate: a call that read most of it has read it.
  return held <= read && read < (held + raced) / 2 ? raced : undefined;
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
  return inputTokens(usage) ?? (usage.fresh ?? 0) + (usage.read ?? 0) + written;
}
