// Formats the result of a replay for people.

import type { ReplayResult } from '@tidemark/recording';

import { formatNumber, percent } from '../frame/numbers.ts';
import type { Shown } from '../frame/shown.ts';
import { withStyle } from '../frame/shown.ts';
import type { TableOf } from '../frame/table.ts';

/** Returns the headline: the recorded cost and the replayed cost, each compared with the ideal cost. */
export function replayHeadline(result: ReplayResult): Shown {
  const { calls, tokens, recordedRatio, ratio, expiringRatio, breaks, refused, standIns } = result;
  if (calls === 0) return 'this recording has no calls with token counts: there is nothing to replay';
  return [
    `${formatNumber(calls)} calls, ${formatNumber(tokens)} input tokens (sizes: ${result.sizes})\n`,
    ['recorded   ', times(recordedRatio), ' the ideal\n'],
    [
      'replayed   ',
      times(ratio),
      ' the ideal, ',
      times(expiringRatio),
      ' the ideal with entries that live 5 minutes\n',
    ],
    `breaks     ${breaks.labelled} with a recorded cause, `,
    breaks.unlabelled === 0 ? '0 without' : withStyle('red', `${breaks.unlabelled} without`),
    warmingLine(result),
    refused === 0 ? '' : withStyle('red', `\nrefused    ${refused} requests`),
    ...standIns.map(
      ({ model, as }) => `\nnote: ${model} is not a model of Anthropic in the catalog; it was replayed as ${as}`,
    ),
  ];
}

function warmingLine({ warming: { calls, billed } }: ReplayResult): string {
  return calls === 0 ? '' : `\nwarming    ${formatNumber(calls)} calls, ${formatNumber(billed)} of the billed tokens`;
}

function times(ratio: number | null): Shown {
  return withStyle('bold', ratio === null ? 'unknown ×' : `${ratio.toFixed(2)} ×`);
}

/**
 * Returns a table with one row for each way to pay for the input, from uncached to ideal. Costs are in tokens at the
 * base input price. The last column compares each cost with the uncached cost, as a share.
 */
export function replayTable(result: ReplayResult): TableOf {
  const { recorded, billed, forced, ideal, expiring, uncached } = result;
  const row = (name: string, cost: number): readonly string[] => [name, formatNumber(cost), percent(cost, uncached)];
  return {
    head: ['input cost, in tokens at the base price', 'cost', 'of uncached'],
    rows: [
      row('uncached', uncached),
      row('as recorded', recorded.billed),
      row('replayed by Tidemark', billed),
      row('  of that, caused by breaks in the recording', forced),
      row('with entries that live 5 minutes', expiring),
      row('ideal: new tokens written once, old tokens read', ideal),
    ],
    numbers: [1, 2],
  };
}

/**
 * Returns the misses by cause, with their number, tokens and cost. The misses of the recording come first, then the
 * misses of the replay. Without misses, returns `undefined`.
 */
export function missTable(result: ReplayResult): TableOf | undefined {
  const causes = [...sumByCause('recorded', result.recorded.misses), ...sumByCause('replayed', result.misses)];
  if (causes.length === 0) return undefined;
  return { head: ['misses', 'cause', 'calls', 'tokens', 'cost'], rows: causes, numbers: [2, 3, 4] };
}

function sumByCause(
  whose: string,
  misses: readonly { readonly cause: string; readonly tokens: number; readonly cost: number }[],
): readonly (readonly string[])[] {
  const causes = [...new Set(misses.map((miss) => miss.cause))];
  return causes.map((cause) => {
    const own = misses.filter((miss) => miss.cause === cause);
    const sum = (field: 'tokens' | 'cost'): string => formatNumber(own.reduce((total, miss) => total + miss[field], 0));
    return [whose, cause, String(own.length), sum('tokens'), sum('cost')];
  });
}
