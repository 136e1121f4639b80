// Converts accounts to the sums of the reports. A sum of which no part is known is `null` (L7).

import type { Account } from '@tidemark/context';
import { ratesOfAccount } from '@tidemark/context';
import type { CacheSums, CostSums, PaidAgainSums } from './session-projection.ts';

/** Returns the use of the cache in an account. */
export function cacheSums(account: Account): CacheSums {
  const { calls, uncounted, tokens, unread } = account;
  return { calls, uncounted, tokens, ...ratesOfAccount(account), ...unread, lost: lostSums(account) };
}

/** Returns the cost in an account. */
export function costSums(account: Account): CostSums {
  const { calls, unanswered, unpriced, bounded, estimated, tokens, cost, dearer, compared, charged } = account;
  const isCompared = compared.calls > 0 || calls === 0;
  return {
    calls,
    unanswered,
    tokens,
    paid: { cost: calls > 0 && unpriced === calls ? null : cost, unpriced },
    bounded,
    estimated,
    compared: {
      calls: compared.calls,
      unpriced: calls - compared.calls,
      paid: isCompared ? compared.paid : null,
      uncached: isCompared ? compared.uncached : null,
      ideal: isCompared ? compared.ideal : null,
    },
    lost: lostSums(account),
    dearer: { ...dearer, cost: dearer.calls > 0 && dearer.unpriced === dearer.calls ? null : dearer.cost },
    charged: { ...charged, cost: charged.requests > 0 && charged.unpriced === charged.requests ? null : charged.cost },
  };
}

function lostSums({ again }: Account): PaidAgainSums {
  return { ...again, cost: again.calls > 0 && again.unpriced === again.calls ? null : again.cost };
}
