// Request that was recorded before it was sent, and the call that remains of it if no end was recorded.

import { defined } from '@tidemark/core';
import type {
  CallForecast,
  EpochCause,
  EpochOpened,
  EventOf,
  Position,
  RecordedOf,
  RequestPrepared,
  SessionId,
  Timestamp,
  Usage,
} from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { inputTokens } from '@tidemark/model';
import { expectedInput } from '../state/scales.ts';
import { countUse } from './count-use.ts';
import type { ModelCall } from './model-call.ts';

/** Request that has no end yet. */
export interface SentCall {
  /** Session that sent it. */
  readonly session: SessionId;
  readonly at: Timestamp;
  readonly position?: Position;
  readonly data: RequestPrepared;
  /** Causes for which the epoch of this request was opened. */
  readonly opened: readonly EpochCause[];
  readonly provider: string;
  readonly model: string;
  readonly contract?: string;
}

/** Model of a call whose log does not name it. */
export const UNKNOWN = { provider: 'unknown', model: 'unknown' };

/** Returns the request of a record, which the session `owner` sent in this epoch. */
export function sentCall(
  record: EventOf<'request.prepared'> | RecordedOf<'request.prepared'>,
  { owner, epoch }: { readonly owner: SessionId; readonly epoch: EpochOpened | undefined },
): SentCall {
  const { provider, model } = epoch ?? UNKNOWN;
  return defined({
    session: owner,
    at: record.at,
    position: 'position' in record ? record.position : undefined,
    data: record.data,
    opened: epoch === undefined ? [] : causesOf(epoch),
    provider,
    model,
    contract: epoch?.contract,
  });
}

/** Returns the causes of an epoch, most important first. */
export function causesOf({ cause, also = [] }: EpochOpened): readonly EpochCause[] {
  return [cause, ...also];
}

/**
 * Returns the call of a request whose end is not recorded, because the process ended before. The provider may have
 * billed it, so its use is estimated as that of an interrupted call of which nothing arrived. `row` is the catalog row of
 * its model.
 *
 * The number of these calls is an upper bound. A request is recorded before it is sent (L1), so the log does not show if
 * the process ended before it was sent.
 */
export function cutOffCall(sent: SentCall, row: Capabilities | undefined): ModelCall {
  const { session, at, position, data, provider, model, contract } = sent;
  const { stream, step, forecast } = data;
  const lives = data.markers.map(({ ttl }) => ttl);
  const estimated =
    row === undefined
      ? { input: data.size?.input ?? expectedInput(forecast), output: 0 }
      : countUse({ capabilities: row, at, request: data, usage: {}, lives, output: 0 }).estimated;
  return defined({
    session,
    stream,
    step,
    at,
    request: position,
    provider,
    model,
    contract,
    usage: {},
    unread: { wasted: 0, waiting: 0 },
    estimated,
    row,
    forecast,
    unsent: unsentOf(forecast),
  });
}

/**
 * Returns the tokens that were forecast as new, scaled to the real size of the request. Tokens read from the cache
 * cannot be new. The result is therefore at most the input that was not read.
 */
export function unsentOf(forecast: CallForecast, usage: Usage = {}): number {
  const { unsent } = forecast;
  const expected = expectedInput(forecast);
  const input = inputTokens(usage) ?? expected;
  const scaled = expected === 0 ? input : Math.round((unsent * input) / expected);
  return Math.min(scaled, input - (usage.read ?? 0));
}
