// Finds tokens of a stream that were sent before and are paid again, with causes and price. Before a request is sent,
// these tokens are foreseen. After the answer, they are found by comparing the usage with the forecast.

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
import type { LossCause } from '../base/cause-words.ts';
import { groupOfCause } from '../base/cause-words.ts';
import { isAlive, isOfOther } from '../cache/entries.ts';
import { onGrid } from '../cache/implicit.ts';
import { expectedInput } from '../state/scales.ts';
import type { State } from '../state/state.ts';
import type { HeldBy, Loss, Outlook } from './forecast.ts';

export interface MissInput extends MissEvidence {
  readonly capabilities: Capabilities;
  readonly at: Timestamp;
  readonly usage: Usage;
  /** Tokens of this request that were in the cache after the previous request of its stream. */
  readonly held: number;
  readonly heldBy: HeldBy;
  readonly forecast: Pick<CallForecast, 'read' | 'write' | 'fresh'>;
  /**
   * Estimated tokens of this request that another call was writing to the cache. When this request was sent, the other
   * call had been sent, but its answer had not begun.
   */
  readonly racing?: number;
}

/**
 * Returns the miss of an answered call. Returns `undefined` if the call read everything that it could read, or if the
 * number of read tokens is unknown. The miss has at most as many tokens as the call paid.
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
 * Returns the lifetime of the tokens that the call wrote. If the usage contains no lifetime, the model's first lifetime
 * is returned. Returns `undefined` if the call wrote nothing. In this case, its tokens were paid as fresh input.
 */
function lifeWritten({ writes, written }: Usage, { ttls }: Capabilities): Ttl | undefined {
  if (writes !== undefined) return writes.find(({ tokens }) => tokens > 0)?.ttl;
  return written === 0 ? undefined : ttls[0];
}

/**
 * Tolerance for an estimated size, as a share of that size. If a read is lower by at most this share, the difference is
 * an error of the estimate. A larger difference is a miss.
 */
const BEYOND_ESTIMATE = 0.25;

/**
 * Returns the tokens of this request that were in the cache, at most the tokens that the call counted. The size of the
 * old text may be known in two ways. If the model counted the old text before (`count`, `scale`), its size is kept, and
 * any excess over the forecast is attributed to new text. If the model never counted it (`estimate`), the error of the
 * forecast is spread over old and new text. A small difference is treated as an error of the estimate, if no loss was
 * foreseen and the size is not counted.
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
 * Returns the tokens that another call was writing, at most the tokens of this call. Returns `undefined` if the race
 * did not cause the loss. This is the case if this call read less than the cache held, or if it read most of the tokens
 * that the other call was writing.
 */
function racedOf({ usage, racing = 0 }: MissInput, held: number): number | undefined {
  const { read = 0 } = usage;
  const raced = Math.min(racing, inputTokens(usage) ?? racing);
  // The size of the raced tokens is an estimate, so a call that read most of them counts as having read them all.
  return held <= read && read < (held + raced) / 2 ? raced : undefined;
}

/** Tokens that are paid again although the call could have read them. */
interface Rewrite {
  readonly capabilities: Capabilities;
  readonly at: Timestamp;
  /** Input tokens of the whole request, because its length may decide its price. */
  readonly input: number;
  readonly tokens: number;
  /**
   * Lifetime with which the tokens are written. Absent if they are not written but paid as fresh input, for example
   * where writes are free.
   */
  readonly ttl: Ttl | undefined;
}

/**
 * Returns the cost of paying tokens again minus the cost of reading them. Returns `undefined` if a price is unknown.
 */
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
 * Evidence for the cause of a miss: what was known before sending, and what the answer shows. Without evidence, the
 * cause is `unknown`.
 */
export interface MissEvidence {
  readonly capabilities: Pick<Capabilities, 'routing' | 'markers'>;
  /** Loss that was known before sending. */
  readonly loss: Loss | undefined;
  /**
   * Reason why no request could read the entries of the previous call: they expired, or they belong to another account.
   */
  readonly gone?: Outlook['gone'];
  /** True if this session sent more calls than one machine of the provider accepts for one cache key. */
  readonly crowded?: boolean;
  /** Provider's comparison of the request with the previous request. */
  readonly diagnosis?: DiagnosisRecord | undefined;
  /**
   * True if the provider counted an entry with exactly this prefix and the same parameters. The entry must not have
   * expired.
   */
  readonly seen?: boolean;
}

/**
 * Returns the causes of a miss, most important first. There is at least one cause. If an entry expired or belongs to
 * another account, it is lost even without a change by this session. The change is therefore listed second. A miss that
 * was not foreseen gets its cause from crowded routing, from the provider's diagnosis, or from an identical prefix that
 * was seen. If none of these shows a cause, the cause is `unknown`.
 */
export function causesOfMiss(evidence: MissEvidence): readonly [MissCause, ...MissCause[]] {
  const { loss, gone } = evidence;
  if (loss === undefined || loss.cause === 'unknown') return [unforeseenCause(evidence)];
  return gone === undefined || loss.cause === gone ? [loss.cause] : [gone, loss.cause];
}

/**
 * Reasons in a provider's diagnosis that name a setting in the provider's cache key. If no change by this session
 * explains the miss, they become the cause `parameter`.
 */
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
  // A missing entry is known to be evicted only if two other explanations are impossible. A router may have used
  // another upstream provider. If a provider finds entries by a key, it may have used another machine.
  const isKept = markers === 'explicit' && routing === undefined;
  if (seen && (diagnosis?.found === 'same' || isKept)) return 'evicted';
  return 'unknown';
}

// The next functions compare the provider's own report of a miss with the causes that this program found. The provider
// compares the two requests itself, so its report is independent of the fold. The terms of the reports are listed in
// provider facts 1.4 and 2.2.

/**
 * Result of comparing a provider's report with the causes that this program found. `agrees`: the report fits one of
 * them. `disagrees`: the report fits none of them, so the report or the program is wrong. `explains`: the program found
 * no cause, and the report names one. `silent`: the report contains nothing about the cause.
 */
export type CrossCheckVerdict = 'agrees' | 'disagrees' | 'explains' | 'silent';

const SETTING_CAUSES: readonly LossCause[] = ['parameters', 'parameter'];

const HISTORY: readonly LossCause[] = [
  'compaction',
  'pruning',
  'quarantine',
  'image',
  'thinking-stripped',
  'history-changed',
  'edited',
];

const FRONT: readonly LossCause[] = ['front-changed', 'front-changed-or-evicted'];

const SYSTEM: readonly LossCause[] = ['skills', 'contract', 'role', ...FRONT];

/**
 * Causes that can change the tools. A compaction can add tools that waited for an epoch, and a contract can add its own
 * tools.
 */
const TOOLS: readonly LossCause[] = ['tools', 'contract', 'compaction', ...FRONT];

/**
 * Maps each reason in a provider's report to the causes in this program that can lead to it. Anthropic reports a change
 * of `speed` as a model change. OpenAI's cache key depends on tools and skills.
 */
const CAUSES_OF: ReadonlyMap<string, readonly LossCause[]> = new Map([
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
 * Compares a provider's report with the causes that this program found for one miss. `causes` contains the causes of
 * the miss, and the causes of the epoch that opened with the request. If `CAUSES_OF` does not contain the reason, the
 * reason agrees with no cause.
 */
export function crossCheck({ found, reason }: DiagnosisRecord, causes: readonly LossCause[]): CrossCheckVerdict {
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
      // An unchanged request can still lose cached tokens, because an entry expired or the cache dropped it.
      if (ours.length === 0) return 'explains';
      return ours.every((cause) => groupOfCause(cause) === 'change') ? 'disagrees' : 'agrees';
  }
}

/**
 * Tokens that were sent before and are about to be paid again, with the cause. `cost` is the additional cost compared
 * with reading them.
 */
export interface ForeseenRewrite {
  /**
   * Cause of the epoch if a change by this session loses the tokens. Otherwise a cause in the cache or in the
   * provider's rules.
   */
  readonly cause: EpochCause | MissCause;
  /** Other causes. Each of them alone also loses the tokens. */
  readonly also?: readonly (EpochCause | MissCause)[];
  /** Estimated number of tokens. */
  readonly tokens: number;
  /**
   * Additional cost of paying the tokens again instead of reading them, in US dollars. Absent if the price is unknown.
   */
  readonly cost?: Money;
}

/**
 * Epoch of a request. `opens` is true if the epoch opens with this request. `cause` and `also` are the causes for which
 * the epoch opened.
 */
export interface RequestEpoch {
  readonly opens: boolean;
  readonly cause: EpochCause;
  readonly also?: readonly EpochCause[];
}

/**
 * Returns the rewrite that a request will cause. Returns `undefined` if the request reads everything that was sent
 * before.
 */
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

/**
 * Returns the causes, most important first. If the cache entries were already lost for another reason, such as a pause,
 * that reason is among the causes. If the first request of an epoch failed, a later request is still attributed to that
 * epoch.
 */
function causesOf(price: EpochPrice, { opens, cause, also = [] }: RequestEpoch): Causes {
  const { loss, gone } = price.outlook;
  if (opens && epochForecast(price).rewrite > 0) return [cause, ...also];
  const isOpened = loss === undefined || loss.cause === 'opened';
  if (gone === undefined) return isOpened ? [cause, ...also] : [loss.cause];
  if (opens && isOpened) return [gone, cause, ...also];
  return loss === undefined || loss.cause === gone || isOpened ? [gone] : [gone, loss.cause];
}

/** Input of `epochForecast` and `foreseeRewrite`. */
export interface EpochPrice {
  /** State before the epoch opens. */
  readonly state: State;
  /** Forecast of the epoch's first request. */
  readonly outlook: Outlook;
  readonly capabilities: Capabilities;
  readonly at: Timestamp;
  /** Lifetime of the written tokens. Absent if writes are free. */
  readonly ttl: Ttl | undefined;
  /**
   * Provider account that receives the request, if the provider and model are the same as before. Absent if unknown.
   */
  readonly account?: string | undefined;
}

/**
 * Returns the tokens that will be written again because of this epoch, and the additional cost compared with reading
 * them. If tokens have already expired or belong to another account, they are not attributed to the epoch.
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
