// What keeping a conversation warm is planned from: the log and the prompt stream made from it, so that it is planned alike wherever
// the session is.

import type { Accepted, CacheEntry, KeepWarm, State, Stream, WarmPlan } from '@tidemark/context';
import { itemAt, planKeepWarm, tokensUpTo, unitPrice } from '@tidemark/context';
import type { Timestamp, Usage } from '@tidemark/log';
import { milliseconds } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import type { Lasting, Warm } from '../ports/runtime.ts';
import type { PromptStream } from '../request/prompt-stream.ts';
import type { Session } from '../session/session.ts';

/** More than the recorded sessions needed. */
const SHARE = 0.1;

/** What is known beside the log's state. */
export interface Warmth {
  readonly at: Timestamp;
  readonly warm: Exclude<Warm, 'off'>;
  /** The prompt stream of the conversation, as its last request left it. */
  readonly promptStream: PromptStream;
}

/** What to do about the pause that the session is in. */
export function planWarmth({ state, progress }: Pick<Session, 'state' | 'progress'>, warmth: Warmth): KeepWarm {
  const { accepted, away } = state.streams['main'] ?? NO_STREAM;
  const { capabilities, encoder, epoch } = warmth.promptStream.materials;
  const output = encoder.leastOutput?.(epoch.opened.parameters, capabilities);
  if (!accepted?.cached || accepted.left === undefined || away === undefined) return { by: 'nothing', why: 'empty' };
  if (output === undefined) return { by: 'nothing', why: 'output' };
  const { left, cached } = accepted;
  // What a provider keeps by itself was not bought for a time.
  if (typeof left.ttl !== 'string') return { by: 'nothing', why: 'empty' };
  const answer = outputTokenCount(progress.lastRequest?.answer?.usage);
  // Behind the end of the last request stands what a call that kept it warm has written.
  const written = left.block > (accepted.end ?? 0);
  const held = written ? cached + answer : cached;
  return planKeepWarm({
    now: milliseconds(warmth.at),
    since: milliseconds(accepted.at),
    away,
    entry: { ttl: left.ttl, at: milliseconds(left.at) },
    held,
    atStake: held - outliving(state.cache.entries, { accepted, left, promptStream: warmth.promptStream }),
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

/** A row says so only where a live test has passed; what this session has seen goes first. */
function promotes(capabilities: Capabilities, { cache }: State): boolean {
  return typeof capabilities.promotes === 'object' && !cache.promotionMissed;
}

/** How long what a call writes is to live: short where a promotion will keep it through a pause, which is cheaper than an hour. */
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

/** Tokens, estimated at the ratio measured last, that stand in an entry of an hour before one of five minutes. */
function outliving(entries: readonly CacheEntry[], { accepted, left, promptStream: { sequence } }: LeftWarm): number {
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
