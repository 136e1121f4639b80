// Tokens that were sent before on a stream and are paid again: found by comparing usage with the forecast, or foreseen before the request
// is sent, with causes and price.

import { defined } from '@tidemark/core';
import type {
  CallForecast,
  DiagnosisRecord,
  EpochCause,
  EpochForecast,
  Miss,
  MissCause,
  Money,
  Timestamp,
  Usage,
} from '@tidemark/log';
import { milliseconds, money } from '@tidemark/log';
import type { Capabilities, Ttl } from '@tidemark/model';
import { costOf, inputTokens, priceAt } from '@tidemark/model';
import { Decimal } from 'decimal.js';
import { groupOfCause } from '../base/cause-words.ts';
import { isAlive, isOfOther } from '../cache/entries.ts';
import { onGrid } from '../cache/plan.ts';
import { expectedInput } from '../state/scales.ts';
import type { State } from '../state/state.ts';
import type { HeldBy, Loss, Outlook } from './forecast.ts';

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
  return { cause, ...(also.length === 0 ? {} : { also }), tokens, ...defined({ cost }) };
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
interface Rewrite {
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

/**
 * Evidence for the cause of a miss: what was known before sending, then what the answer shows. Without evidence the cause is
 * unknown.
 */
export interface MissEvidence {
  readonly capabilities: Pick<Capabilities, 'routing' | 'markers'>;
  /** The loss that was known before sending. */
  readonly loss: Loss | undefined;
  /** Why this request could not read what the call before left, whatever the request holds: its age, or another account. */
  readonly gone?: Outlook['gone'];
  /** This session called more often than one machine takes of one key. */
  readonly crowded?: boolean;
  /** What the provider says of the request, compared with the one before. */
  readonly diagnosis?: DiagnosisRecord | undefined;
  /** The provider counted an entry with this identical prefix, under the same parameters, and its life has not ended. */
  readonly seen?: boolean;
}

/**
 * The causes of a miss, the weightiest first; never empty. An entry that had expired, or that another account
 * holds, is lost whatever else changed: the change is then named second. What no one foresaw is named by the provider's diagnosis or by an identical prefix that
 * was seen, else it is `unknown`.
 */
export function causesOfMiss(evidence: MissEvidence): readonly [MissCause, ...MissCause[]] {
  const { loss, gone } = evidence;
  if (loss === undefined || loss.cause === 'unknown') return [unforeseenCause(evidence)];
  return gone === undefined || loss.cause === gone ? [loss.cause] : [gone, loss.cause];
}

/** Words of a provider for a setting that enters its cache key and that no event of ours changed. */
const SETTING_REASONS: readonly string[] = [
  'model_changed',
  'text_format_changed',
  'verbosity_changed',
  'service_tier_changed',
  'reasoning_effort_changed',
];

function unforeseenCause({ capabilities, crowded = false, diagnosis, seen = false, loss }: MissEvidence): MissCause {
  const { routing, markers } = capabilities;
  if (routing === 'by-key' && crowded) return 'overflow-routing';
  if (diagnosis?.found === 'miss') {
    return SETTING_REASONS.includes(diagnosis.reason ?? '') ? 'parameter' : 'unknown';
  }
  if (loss !== undefined) return 'unknown';
  // A router may have taken another upstream, and a provider that finds entries by a key another machine.
  const isKept = markers === 'explicit' && routing === undefined;
  if (seen && (diagnosis?.found === 'same' || isKept)) return 'evicted';
  return 'unknown';
}

// The provider's own report of a miss, compared with our cause. The provider compares the two requests itself, so its report is
// independent of the fold. Its words are those of provider facts 1.4 and 2.2.

/**
 * `agrees`: what it says is what our cause would make it say. `disagrees`: it is not, and one of the two is wrong.
 * `explains`: we know of no cause, and it says what changed. `silent`: it says nothing that bears on the cause.
 */
export type CrossCheckVerdict = 'agrees' | 'disagrees' | 'explains' | 'silent';

type BreakOrMissCause = EpochCause | MissCause;

const SETTING_CAUSES: readonly BreakOrMissCause[] = ['parameters', 'parameter'];

const HISTORY: readonly BreakOrMissCause[] = ['compaction', 'pruning', 'quarantine', 'image', 'thinking-stripped'];

const SYSTEM: readonly BreakOrMissCause[] = ['skills', 'contract', 'role'];

/** A compaction can add the tools that waited for an epoch, and a contract its own. */
const TOOLS: readonly BreakOrMissCause[] = ['tools', 'contract', 'compaction'];

/** Which of our causes make a provider say a word. Anthropic counts `speed` as the model; OpenAI keys by tools and skills. */
const CAUSES_OF: ReadonlyMap<string, readonly BreakOrMissCause[]> = new Map([
  ['model_changed', ['model', ...SETTING_CAUSES]],
  ['tools_changed', TOOLS],
  ['system_changed', SYSTEM],
  ['messages_changed', HISTORY],
  ['prompt_cache_key_changed', ['model', 'skills', 'overflow-routing', ...TOOLS]],
  ['text_format_changed', SETTING_CAUSES],
  ['verbosity_changed', SETTING_CAUSES],
  ['service_tier_changed', SETTING_CAUSES],
  ['reasoning_effort_changed', ['reasoning', ...SETTING_CAUSES]],
  ['context_compacted', ['compaction', ...SETTING_CAUSES]],
  ['input_changed', [...SYSTEM, ...HISTORY]],
]);

/**
 * Holds a diagnosis against the causes that we have for one miss: its own, and that of the epoch that opened with it. A word
 * that is not known agrees with nothing.
 */
export function crossCheck({ found, reason }: DiagnosisRecord, causes: readonly BreakOrMissCause[]): CrossCheckVerdict {
  const ours = causes.filter((cause) => cause !== 'opened' && cause !== 'unknown');
  switch (found) {
    case 'pending':
    case 'unknown-response':
    case 'unavailable':
      return 'silent';
    case 'miss':
      if (ours.length === 0) return 'explains';
      return ours.some((cause) => CAUSES_OF.get(reason ?? '')?.includes(cause)) ? 'agrees' : 'disagrees';
    case 'hit':
    case 'same':
      // A request that only grew can lose what the cache held, by its age or by what the cache did.
      if (ours.length === 0) return 'explains';
      return ours.every((cause) => groupOfCause(cause) === 'change') ? 'disagrees' : 'agrees';
  }
}

/** Tokens that were sent before and are about to be paid again: how many, why, and what that costs above reading them. */
export interface ForeseenRewrite {
  /** A change of ours by the name of its epoch; else what the cache or the provider's rules do. */
  readonly cause: EpochCause | MissCause;
  /** Other causes, each of which alone would lose them. */
  readonly also?: readonly (EpochCause | MissCause)[];
  /** An estimate. */
  readonly tokens: number;
  /** Above reading them, in US dollars; absent when the price is unknown. */
  readonly cost?: Money;
}

/** The epoch of the request: whether it opens with it, and its cause. */
export interface RequestEpoch {
  readonly opens: boolean;
  readonly cause: EpochCause;
  readonly also?: readonly EpochCause[];
}

/** The rewrite that a request brings; `undefined` when it reads all that was sent before it. */
export function foreseeRewrite(price: EpochPrice, epoch: RequestEpoch): ForeseenRewrite | undefined {
  const { outlook, capabilities, at, ttl } = price;
  const { loss, forecast } = outlook;
  if (loss === undefined) return undefined;
  const { tokens } = loss;
  const input = expectedInput(forecast);
  const cost = rewriteCost({ capabilities, at, input, tokens, ttl });
  const [first, ...also] = causesOf(price, epoch);
  return {
    cause: first,
    ...(also.length === 0 ? {} : { also }),
    tokens,
    ...defined({ cost }),
  };
}

type Causes = readonly [ForeseenRewrite['cause'], ...ForeseenRewrite['cause'][]];

/** What was gone anyway is no doing of the epoch alone; what an epoch broke whose first request failed still is its doing. */
function causesOf(price: EpochPrice, { opens, cause, also = [] }: RequestEpoch): Causes {
  const { loss, gone } = price.outlook;
  if (opens && epochForecast(price).rewrite > 0) return [cause, ...also];
  const isOpened = loss === undefined || loss.cause === 'opened';
  if (gone === undefined) return isOpened ? [cause, ...also] : [loss.cause];
  if (opens && isOpened) return [gone, cause, ...also];
  return loss === undefined || loss.cause === gone || isOpened ? [gone] : [gone, loss.cause];
}

/** What the price of an epoch is made from. */
export interface EpochPrice {
  /** The state before it opens. */
  readonly state: State;
  /** The outlook of its first request. */
  readonly outlook: Outlook;
  readonly capabilities: Capabilities;
  readonly at: Timestamp;
  /** The life of what is written; absent where writes are free. */
  readonly ttl: Ttl | undefined;
  /** The account that is asked, where it is one of the same provider and model as before; absent where it is not known. */
  readonly account?: string | undefined;
}

/**
 * Tokens that were sent before and will be written again because of this epoch, and what that costs above reading them.
 * What had expired anyway, or what another account holds, is not its doing.
 */
export function epochForecast({ state, outlook, capabilities, at, ttl, account }: EpochPrice): EpochForecast {
  const now = milliseconds(at);
  const alive = state.cache.entries.some(
    (entry) => entry.section === 'messages' && isAlive(entry, now) && !isOfOther(entry, account),
  );
  const { forecast } = outlook;
  const rewrite = alive ? Math.max(0, outlook.held - forecast.read) : 0;
  const cost = rewriteCost({ capabilities, at, input: expectedInput(forecast), tokens: rewrite, ttl });
  return defined({ rewrite, cost });
}
