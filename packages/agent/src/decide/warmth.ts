// Plans how to keep the cache of a conversation warm. The plan uses only the log and the prompt stream that is computed
// from it, so every process makes the same plan.

import type { Accepted, CacheEntry, KeepWarm, State, Stream, WarmPlan } from '@tidemark/context';
import { itemAt, planKeepWarm, tokensUpTo, unitPrice } from '@tidemark/context';
import type { Timestamp, Usage } from '@tidemark/log';
import { milliseconds } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import type { Lasting, Warm } from '../ports/runtime.ts';
import type { PromptStream } from '../request/prompt-stream.ts';
import type { Session } from '../session/session.ts';

/**
 * Default for the maximum share of the session's cost that is spent on keeping the cache warm. In the recorded sessions
 * a smaller share was enough.
 */
const SHARE = 0.1;

/** Input of the plan in addition to the session's state. */
export interface Warmth {
  readonly at: Timestamp;
  readonly warm: Exclude<Warm, 'off'>;
  /** Prompt stream of the conversation after its last request. */
  readonly promptStream: PromptStream;
}

/** Returns the plan for keeping the cache warm until the next prompt, or the reason why nothing is sent. */
export function planWarmth({ state, progress }: Pick<Session, 'state' | 'progress'>, warmth: Warmth): KeepWarm {
  const { accepted, away } = state.streams['main'] ?? NO_STREAM;
  const { capabilities, encoder, epoch } = warmth.promptStream.materials;
  const output = encoder.leastOutput?.(epoch.opened.parameters, capabilities);
  if (!accepted?.cached || accepted.left === undefined || away === undefined) return { by: 'nothing', why: 'empty' };
  if (output === undefined) return { by: 'nothing', why: 'output' };
  const { left, cached } = accepted;
  // If the provider manages its cache itself, the entry has no lifetime that a read could extend.
  if (typeof left.ttl !== 'string') return { by: 'nothing', why: 'empty' };
  const answer = outputTokenCount(progress.lastRequest?.answer?.usage);
  // If an entry ends after the last request, a call that kept the cache warm wrote it.
  const written = left.block > (accepted.end ?? 0);
  const held = written ? cached + answer : cached;
  return planKeepWarm({
    now: milliseconds(warmth.at),
    since: milliseconds(accepted.at),
    away,
    entry: { ttl: left.ttl, at: milliseconds(left.at) },
    held,
    atStake: held - outlivingTokens(state.cache.entries, { accepted, left, promptStream: warmth.promptStream }),
    tail: written ? 0 : answer,
    output,
    price: unitPrice(capabilities, warmth.at, held),
    budget: { share: shareOf(warmth.warm), cost: progress.sessionCost, spent: progress.warmingCost },
    ways: waysOf(warmth.warm, capabilities, state),
  });
}

const NO_STREAM: Partial<Stream> = {};

function shareOf(warm: Warmth['warm']): number {
  return warm === 'auto' ? SHARE : warm.share;
}

function waysOf(warm: Warmth['warm'], capabilities: Capabilities, state: State): readonly WarmPlan['by'][] {
  const refresh = warm !== 'auto' || !capabilities.ttls.includes('1h');
  return [
    ...(refresh ? (['refresh'] as const) : []),
    ...(promotes(capabilities, state) ? (['promotion'] as const) : []),
  ];
}

/**
 * Returns true if promotion works for this model: its catalog row marks it as verified by a live test, and no promotion
 * has failed in this session.
 */
function promotes(capabilities: Capabilities, { cache }: State): boolean {
  return typeof capabilities.promotes === 'object' && !cache.promotionMissed;
}

/**
 * Returns the lifetime for the cache entries that a call writes. With `auto` it is five minutes if promotion works. A
 * promotion can then extend the entries before a long pause, and this is cheaper than writing them for an hour. If
 * promotion does not work, it is `ttl`.
 */
export function lastingOf(ttl: Lasting, warm: Warm, capabilities: Capabilities, state: State): Lasting {
  return ttl === 'auto' && warm !== 'off' && promotes(capabilities, state) ? '5m' : ttl;
}

function outputTokenCount(usage: Usage | undefined): number {
  return (usage?.answer ?? 0) + (usage?.reasoning ?? 0);
}

interface LeftWarm {
  readonly accepted: Accepted;
  readonly left: CacheEntry;
  readonly promptStream: PromptStream;
}

/**
 * Returns the tokens that stay in the cache by an earlier one-hour entry if the last entry expires after five minutes.
 * A read of the last entry saves nothing for these tokens. Returns 0 if there is no such entry. The number is estimated
 * from the cached tokens of the last accepted request.
 */
function outlivingTokens(
  entries: readonly CacheEntry[],
  { accepted, left, promptStream: { sequence } }: LeftWarm,
): number {
  if (left.ttl !== '5m') return 0;
  const long = entries.findLast(
    ({ ttl, block, prefix }) => ttl === '1h' && block < left.block && itemAt(sequence.prefixes, block) === prefix,
  );
  const { end } = accepted;
  if (long === undefined || end === undefined) return 0;
  return Math.round(
    ((accepted.cached ?? 0) * tokensUpTo(sequence, long.block, false)) / tokensUpTo(sequence, end, false),
  );
}
