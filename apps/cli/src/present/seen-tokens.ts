// The tokens of the calls that a command has seen, summed in the provider's own buckets. A bucket that no call told is
// unknown, never 0 (L7).

import type { AnswerReceived } from '@tidemark/log';
import { allWritten, inputTokens, outputTokens } from '@tidemark/model';

import { formatCount, formatNumber } from '../frame/numbers.ts';

/** Tokens in the provider's own buckets, summed over the calls that reported the bucket; `null` where no call did. */
export interface SeenTokens {
  readonly read: number | null;
  readonly written: number | null;
  readonly fresh: number | null;
  readonly output: number | null;
  /** Input that was counted, and whose bucket was not told. */
  readonly untold?: number;
  /** Calls whose input or output was not counted; absent where every call was. */
  readonly uncounted?: number;
  /** What those calls are taken to have used: an estimate. */
  readonly estimated?: number;
  /** How the provider caches is not known for some of the calls: it need not have told all its buckets. */
  readonly caching?: 'unknown';
}

/** No call was seen. */
export const NOTHING_SEEN: SeenTokens = { read: 0, written: 0, fresh: 0, output: 0 };

/** The end of a call, as far as it tells of tokens. */
export type SeenCall = Partial<Pick<AnswerReceived, 'usage' | 'estimated' | 'forecast'>>;

/** The sums with one more call; `first` is set for the first one. */
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

/** `1,200 read, 30 written, 4 fresh, 85 out`. Where caching is not known, a bucket without tokens is left out. */
export function tokensInWords(seen: SeenTokens): string {
  const { read, written, fresh, output, untold = 0, uncounted = 0, estimated = 0, caching } = seen;
  const buckets = [
    [read, 'read'],
    [written, 'written'],
    [fresh, 'fresh'],
  ] as const;
  const said = [
    ...buckets.flatMap(([count, what]) =>
      count === null || (caching && count === 0) ? [] : `${formatNumber(count)} ${what}`,
    ),
    ...(untold === 0 ? [] : [`${formatNumber(untold)} input tokens of which the server does not tell what was cached`]),
    ...(output === null ? [] : [`${formatNumber(output)} out`]),
  ];
  const about = estimated === 0 ? '' : `, about ${formatNumber(estimated)} by estimate`;
  return [
    ...(said.length === 0 ? [] : [said.join(', ')]),
    ...(uncounted === 0
      ? []
      : [`${said.length === 0 ? 'unknown: ' : ''}${formatCount(uncounted, 'call')} not counted${about}`]),
    ...(caching === undefined ? [] : ['how the model is cached is not known']),
  ].join('; ');
}
