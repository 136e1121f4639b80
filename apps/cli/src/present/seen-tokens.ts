// Adds up the tokens of the calls in one command, in the provider's own buckets. If no call reported a bucket, the
// bucket is unknown, never 0 (L7).

import type { AnswerReceived } from '@tidemark/log';
import { allWritten, inputTokens, outputTokens } from '@tidemark/model';

import { formatCount, formatNumber } from '../frame/numbers.ts';

/**
 * Tokens in the provider's own buckets. Each value is the total of the calls that reported the bucket. `null` if no
 * call reported it.
 */
export interface SeenTokens {
  readonly read: number | null;
  readonly written: number | null;
  readonly fresh: number | null;
  readonly output: number | null;
  /** Input tokens that the provider counted but did not assign to a bucket. */
  readonly untold?: number;
  /** Number of calls whose input or output was not counted. Absent if every call was counted. */
  readonly uncounted?: number;
  /** Estimated tokens of the calls that were not counted. */
  readonly estimated?: number;
  /**
   * `unknown` if the caching of at least one call is unknown. For that call, some buckets are possibly not reported.
   */
  readonly caching?: 'unknown';
}

/** Sums before the first call. */
export const NOTHING_SEEN: SeenTokens = { read: 0, written: 0, fresh: 0, output: 0 };

/** Fields of a finished call that concern tokens. */
export type SeenCall = Partial<Pick<AnswerReceived, 'usage' | 'estimated' | 'forecast'>>;

/**
 * Returns the totals with one more call. If `first` is true, a bucket that the call does not report becomes `null`
 * instead of 0.
 */
export function addSeen(seen: SeenTokens, call: SeenCall, first: boolean): SeenTokens {
  const { usage = {}, estimated, forecast } = call;
  const input = inputTokens(usage);
  const output = outputTokens(usage);
  const written = allWritten(usage);
  const known = (usage.fresh ?? 0) + (usage.read ?? 0) + (written ?? 0);
  const more = (before: number | null, count: number | undefined): number | null =>
    count === undefined ? (first ? null : before) : (before ?? 0) + count;
  return {
    read: more(seen.read, usage.read),
    written: more(seen.written, written),
    fresh: more(seen.fresh, usage.fresh),
    output: more(seen.output, output),
    ...positive('untold', (seen.untold ?? 0) + Math.max(0, (input ?? known) - known)),
    ...positive('uncounted', (seen.uncounted ?? 0) + (input === undefined || output === undefined ? 1 : 0)),
    ...positive('estimated', (seen.estimated ?? 0) + (estimated?.input ?? 0) + (estimated?.output ?? 0)),
    ...((seen.caching ?? forecast?.caching) === 'unknown' && { caching: 'unknown' }),
  };
}

function positive<Name extends 'untold' | 'uncounted' | 'estimated'>(
  name: Name,
  count: number,
): { readonly [name in Name]?: number } | object {
  return count === 0 ? {} : { [name]: count };
}

/**
 * Formats the totals, such as `1,200 read, 30 written, 4 fresh, 85 out`. If the caching is unknown, a bucket without
 * tokens is omitted.
 */
export function tokensInWords(seen: SeenTokens): string {
  const { read, written, fresh, output, untold = 0, uncounted = 0, estimated = 0, caching } = seen;
  const buckets = [
    [read, 'read'],
    [written, 'written'],
    [fresh, 'fresh'],
  ] as const;
  const parts = [
    ...buckets.flatMap(([count, what]) =>
      count === null || (caching && count === 0) ? [] : `${formatNumber(count)} ${what}`,
    ),
    ...(untold === 0 ? [] : [`${formatNumber(untold)} input tokens without a report of what was cached`]),
    ...(output === null ? [] : [`${formatNumber(output)} out`]),
  ];
  const about = estimated === 0 ? '' : `, estimated at about ${formatNumber(estimated)}`;
  return [
    ...(parts.length === 0 ? [] : [parts.join(', ')]),
    ...(uncounted === 0
      ? []
      : [`${parts.length === 0 ? 'unknown: ' : ''}${formatCount(uncounted, 'call')} not counted${about}`]),
    ...(caching === undefined ? [] : ['the caching of the model is unknown']),
  ].join('; ');
}
