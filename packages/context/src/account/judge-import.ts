// What a call of an imported session could have read, judged from the provider's own counts of the call before it. An
// estimate: the file tells how much was sent, not what.

import type { EpochCause, MissCause, Timestamp } from '@tidemark/log';
import { milliseconds } from '@tidemark/log';
import { inputTokens, writtenTokens } from '@tidemark/model';
import { LIFE } from '../entries.ts';
import { rewriteCost } from '../miss.ts';
import type { ModelCall } from './model-call.ts';

/** What the call before left behind. */
export interface Left {
  readonly at: Timestamp;
  readonly input: number;
  /** Read or written: what the cache then held. */
  readonly cached: number;
  readonly ttl: '5m' | '1h';
}

/** What is known between two calls. */
export interface Between {
  readonly left: Left | undefined;
  /** The cause of an epoch that opened since. */
  readonly opened: EpochCause | undefined;
}

/** Counters of a provider differ by a few tokens between calls; less than this is no miss. */
const TOLERANCE = 16;

/** What a call leaves for the next one. A call without counts changes nothing. */
export function leftBy({ usage, at }: ModelCall, before: Left | undefined): Left | undefined {
  const input = inputTokens(usage);
  if (input === undefined) return before;
  const { read = 0, writes = [] } = usage;
  const ttl = writes.some((write) => write.ttl === '1h' && write.tokens > 0) ? '1h' : '5m';
  return { at, input, cached: read + writtenTokens(writes), ttl };
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
  const expired = left !== undefined && gap >= LIFE[left.ttl];
  const cause: EpochCause | MissCause = opened === undefined ? (expired ? 'expired' : 'unknown') : opened;
  const ttl = usage.writes?.find((write) => write.tokens > 0)?.ttl ?? '5m';
  const cost = row === undefined ? undefined : rewriteCost({ capabilities: row, at, input, tokens, ttl });
  return { cause, tokens, ...(cost === undefined ? {} : { cost }) };
}
