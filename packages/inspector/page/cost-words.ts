// Words for costs: the comparison of three cases, and everything that is in no sum because it is unknown.

import type { components } from '@tidemark/client';
import { counted, dollars } from './format.ts';

/** Sums of the cost of calls. */
export type CostSums = components['schemas']['CostSums'];

/** Describes the comparison of the paid cost with the other two cases. */
export function comparisonText({ compared: { paid, uncached, ideal, calls } }: CostSums): string {
  if (paid === null || uncached === null || ideal === null)
    return 'The paid cost cannot be compared, because no call has a known price, known tokens and known new tokens.';
  const times = (a: string, b: string): string => `${(Number(a) / Number(b)).toFixed(2)} times`;
  const shares = [
    ...(Number(ideal) > 0 ? [`${times(paid, ideal)} the cost with an ideal cache`] : []),
    ...(Number(uncached) > 0 ? [`${times(paid, uncached)} the cost without a cache`] : []),
  ];
  const words = shares.length === 0 ? '' : `, ${shares.join(' and ')}`;
  return `The ${counted(calls, 'call')} that can be compared cost ${dollars(paid)}${words}.`;
}

/** Describes the calls and charges that are in no sum of the paid cost. Empty if everything is known. */
export function unknownCosts(sums: CostSums): readonly string[] {
  const { calls, paid, unanswered, bounded, estimated, compared, lost, dearer, charged } = sums;
  const others = compared.unpriced - paid.unpriced;
  return [
    ...(paid.unpriced > 0 ? [`The cost of ${partOf(paid.unpriced, calls)} is unknown. It is in no sum.`] : []),
    ...(bounded.calls > 0
      ? [`Of these, ${counted(bounded.calls, 'call')} cost at most ${dollars(bounded.cost)} together.`]
      : []),
    ...(estimated.calls > 0
      ? [
          `The provider counted no tokens of ${counted(estimated.calls, 'call')}: an estimated ` +
            `${counted(estimated.tokens, 'token')}, at most ${dollars(estimated.cost)}.`,
        ]
      : []),
    ...(unanswered > 0 ? [`The output of ${partOf(unanswered, calls)} is unknown.`] : []),
    ...(others > 0
      ? [`${counted(others, 'more call')} cannot be compared, because their tokens are only partly known.`]
      : []),
    ...(lost.unpriced > 0
      ? [`The price of the tokens that ${counted(lost.unpriced, 'call')} paid again is unknown.`]
      : []),
    ...(dearer.calls > 0
      ? [
          `${counted(dearer.calls, 'call')} ${dearer.calls === 1 ? 'was' : 'were'} so long that the whole request cost more: ${dollars(dearer.cost)} in addition.`,
        ]
      : []),
    ...(charged.requests > 0
      ? [
          `Services outside of the sessions billed ${counted(charged.requests, 'request')} with ${dollars(charged.cost)}` +
            `${charged.unpriced > 0 ? `, without ${charged.unpriced} of unknown price` : ''}. This is not in the paid cost.`,
        ]
      : []),
  ];
}

function partOf(part: number, whole: number): string {
  return part === whole ? 'all calls' : `${counted(part, 'call')} of ${whole}`;
}

/** Formats the paid cost of a group. A `+` means that calls of unknown cost come in addition. */
export function paidText({ paid, calls }: Pick<CostSums, 'paid' | 'calls'>): string {
  if (calls > 0 && paid.unpriced === calls) return 'unknown';
  return `${dollars(paid.cost)}${paid.unpriced > 0 ? ' +' : ''}`;
}
