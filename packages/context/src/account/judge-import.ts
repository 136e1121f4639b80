// What a call of an imported session could have read, judged from the provider's own counts of the call before it. An
// estimate: the file tells how much was sent, not what.

import { defined } from '@tidemark/core';
import type { EpochCause, MissCause, Timestamp } from '@tidemark/log';
import { milliseconds } from '@tidemark/log';
import type { Ttl } from '@tidemark/model';
import { cachedTokens, inputTokens } from '@tidemark/model';
import { LIFE } from '../cache/entries.ts';
import { rewriteCost } from '../forecast/miss.ts';
import type { ModelCall } from './model-call.ts';

/** What the call before left behind. */
export interface LeftByCall {
  readonly at: Timestamp;
  readonly input: number;
  /** Read or written: what the cache then held. */
  readonly cached: number;
  /** The life it was written with; absent where writes are free, and nobody told one. */
  readonly ttl: Ttl | undefined;
}

/** What is known between two calls. */
export interface Between {
  readonly left: LeftByCall | undefined;
  /** The cause of an epoch that opened since. */
  readonly opened: EpochCause | undefined;
}

/** Counters of a provider differ by a few tokens between calls; less than this is no miss. */
const TOLERANCE = 16;

/** What a call leaves for the next one. A call whose counts do not tell it changes nothing. */
export function leftBy({ usage, at, row }: ModelCall, before: LeftByCall | undefined): LeftByCall | undefined {
  const input = inputTokens(usage);
  const cached = cachedTokens(usage);
  if (input === undefined || cached === undefined) return before;
  const { writes = [] } = usage;
  const lives = writes.flatMap((write) => (write.tokens > 0 ? [write.ttl] : []));
  const ttl = lives.toSorted((a, b) => LIFE[a] - LIFE[b]).at(-1) ?? before?.ttl ?? row?.ttls[0];
  return { at, input, cached, ttl };
}

/** What the input grew by is new. Where it shrank, by a checkpoint or otherwise, nothing is known of what it holds. */
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
