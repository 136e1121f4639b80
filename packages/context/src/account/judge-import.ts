// Estimates what a call of an imported session could have read, from the provider's counts of the call before it. The
// imported file records how much was sent, but not what was sent.

import { defined } from '@tidemark/core';
import type { EpochCause, MissCause, Timestamp } from '@tidemark/log';
import { milliseconds } from '@tidemark/log';
import type { Ttl } from '@tidemark/model';
import { cachedTokens, inputTokens } from '@tidemark/model';
import { LIFE } from '../cache/entries.ts';
import { rewriteCost } from '../forecast/miss.ts';
import type { ModelCall } from './model-call.ts';

/** Cache state that the call before left. */
export interface LeftByCall {
  readonly at: Timestamp;
  readonly input: number;
  /** Tokens read or written by that call, which were then in the cache. */
  readonly cached: number;
  /** Lifetime of the entry. Absent if writes are free and no lifetime is reported. */
  readonly ttl: Ttl | undefined;
}

/** Known facts between two calls. */
export interface Between {
  readonly left: LeftByCall | undefined;
  /** Cause of an epoch that opened between the calls. */
  readonly opened: EpochCause | undefined;
}

/** Maximum difference in tokens that is not a miss, because a provider's counts differ slightly between calls. */
const TOLERANCE = 16;

/**
 * Returns the cache state that a call leaves for the next call. If the counts of the call are incomplete, the state
 * stays unchanged.
 */
export function leftBy({ usage, at, row }: ModelCall, before: LeftByCall | undefined): LeftByCall | undefined {
  const input = inputTokens(usage);
  const cached = cachedTokens(usage);
  if (input === undefined || cached === undefined) return before;
  const { writes = [] } = usage;
  const lives = writes.flatMap((write) => (write.tokens > 0 ? [write.ttl] : []));
  const ttl = lives.toSorted((a, b) => LIFE[a] - LIFE[b]).at(-1) ?? before?.ttl ?? row?.ttls[0];
  return { at, input, cached, ttl };
}

/**
 * Estimates the tokens that the call could have read, that are new, and that were paid again. Growth of the input is
 * new. If the input shrank, for example by a compaction, its content is unknown and nothing is estimated.
 */
export function judgeImport(call: ModelCall, { left, opened }: Between): Pick<ModelCall, 'held' | 'again' | 'unsent'> {
  const input = inputTokens(call.usage);
  const { read } = call.usage;
  if (input === undefined || read === undefined) return {};
  if (left === undefined) return { held: read, unsent: input };
  if (opened === 'compaction' || input < left.input) return {};
  const held = Math.max(read, left.cached);
  const unsent = input - left.input;
  const tokens = held - read;
  if (tokens <= TOLERANCE) return { held, unsent };
  return { held, unsent, again: again(call, { left, opened }, input, tokens) };
}

function again(
  call: ModelCall,
  { left, opened }: Between,
  input: number,
  tokens: number,
): NonNullable<ModelCall['again']> {
  const { row, at, usage } = call;
  const gap = left === undefined ? 0 : milliseconds(at) - milliseconds(left.at);
  const expired = left?.ttl !== undefined && gap >= LIFE[left.ttl];
  const cause: EpochCause | MissCause = opened === undefined ? (expired ? 'expired' : 'unknown') : opened;
  const ttl = usage.writes?.find((write) => write.tokens > 0)?.ttl ?? row?.ttls[0];
  const cost = row === undefined ? undefined : rewriteCost({ capabilities: row, at, input, tokens, ttl });
  return defined({ cause, tokens, cost });
}
