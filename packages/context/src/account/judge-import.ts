// Estimates the tokens that a call of an imported session could have read, from the provider's counts of the previous
// call. The imported file records how many tokens were sent, but not their content.

import { defined } from '@tidemark/core';
import type { EpochCause, MissCause, Timestamp } from '@tidemark/log';
import { milliseconds } from '@tidemark/log';
import type { Ttl } from '@tidemark/model';
import { cachedTokens, inputTokens } from '@tidemark/model';
import { LIFE } from '../cache/entries.ts';
import { rewriteCost } from '../forecast/miss.ts';
import type { ModelCall } from './model-call.ts';

/** Cache state that a call leaves for the next call. */
export interface LeftByCall {
  readonly at: Timestamp;
  readonly input: number;
  /** Number of tokens in the cache after the call: the tokens that it read and the tokens that it wrote. */
  readonly cached: number;
  /**
   * Longest lifetime with which the call wrote to the cache. If the call wrote nothing, this is the lifetime of the
   * earlier state, or else the first lifetime of the catalog row. Absent if none of these is known.
   */
  readonly ttl: Ttl | undefined;
}

/** State between two calls, used to judge the second call. */
export interface Between {
  readonly left: LeftByCall | undefined;
  /** Cause of an epoch that opened between the calls. */
  readonly opened: EpochCause | undefined;
}

/**
 * Maximum number of cached tokens that a call may leave unread without a miss. A provider's counts differ slightly
 * between calls.
 */
const TOLERANCE = 16;

/**
 * Returns the cache state that a call leaves for the next call. Returns `before` if the counts of the call are
 * incomplete.
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
 * Estimates the tokens that the call could have read (`held`), that are new (`unsent`), and that were paid again
 * (`again`). The tokens by which the input grew are new. If the history was compacted or the input shrank, the content
 * is unknown and the result is empty.
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
