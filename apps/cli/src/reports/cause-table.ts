// Formats the tokens that were paid again, by cause. Separates losses caused by the provider's own rules from losses
// caused by our changes.

import type { Account, CauseGroup } from '@tidemark/context';
import { groupOfCause, isCause } from '@tidemark/context';

import { dollars, formatNumber } from '../frame/numbers.ts';
import type { TableOf } from '../frame/table.ts';

const WHOSE: Readonly<Record<CauseGroup, string>> = {
  change: 'a change',
  time: 'time',
  provider: "the provider's rules",
  cache: 'the cache',
};

/** Returns the table of causes, sorted by the tokens paid again, largest first. */
export function causeTable(groups: ReadonlyMap<string | undefined, Account>): TableOf {
  const lost = [...groups].filter(([cause]) => cause !== undefined);
  const rows = lost
    .toSorted(([, a], [, b]) => b.again.tokens - a.again.tokens)
    .map(([cause = '', { again }]) => [
      cause,
      whose(cause),
      formatNumber(again.calls),
      formatNumber(again.tokens),
      again.unpriced === again.calls ? '?' : dollars(again.cost),
    ]);
  return { head: ['cause', 'by', 'calls', 'paid again', 'extra cost'], rows, numbers: [2, 3, 4] };
}

/**
 * Returns the kinds of the causes, such as `a change` or `time`. They are joined with commas, and each kind appears
 * only one time. `causes` contains one cause, or several joined with ` + `.
 */
function whose(causes: string): string {
  const groups = causes.split(' + ').flatMap((cause) => (isCause(cause) ? [WHOSE[groupOfCause(cause)]] : []));
  return [...new Set(groups)].join(', ');
}
