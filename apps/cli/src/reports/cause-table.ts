// What was paid again, by cause; what the provider drops by its own rules is told apart from what we changed.

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

/** Dearest first. */
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
  return { head: ['cause', 'by', 'calls', 'paid again', 'above reading'], rows, numbers: [2, 3, 4] };
}

/** Who made a cause so; of several joined causes, each one once. */
function whose(causes: string): string {
  const groups = causes.split(' + ').flatMap((cause) => (isCause(cause) ? [WHOSE[groupOfCause(cause)]] : []));
  return [...new Set(groups)].join(', ');
}
