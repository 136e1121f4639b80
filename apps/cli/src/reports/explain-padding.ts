// Explains in a sentence why the front of an epoch was padded or not.

import type { EpochOpened, PaddingReason, PaddingRecord } from '@tidemark/log';

import { formatNumber } from '../frame/numbers.ts';

const REASONS: Readonly<Record<PaddingReason, string>> = {
  pays: 'padded: it was expected to pay',
  always: 'padded, as was said',
  never: 'not padded, as was said',
  costs: 'not padded: it was expected to cost more than it saves',
  'above-floor': 'not padded: the front is cached as it is',
  'no-fit': 'not padded: no whole sections come above the floor and stay below the cap',
  implicit: 'not padded: the provider caches by itself, and what it gains cannot be summed',
  uncached: 'not padded: this model is not known to cache',
  'unknown-floor': 'not padded: it is not known from which length on this model caches',
  'unknown-price': 'not padded: the prices of this model are unknown',
};

/**
 * Returns the reason and the known figures, such as `epoch 0, front not padded: …`. Returns `undefined` if the epoch
 * has no padding record.
 */
export function explainPadding({ number, padding }: Pick<EpochOpened, 'number' | 'padding'>): string | undefined {
  if (padding === undefined) return undefined;
  const sum = [sizes(padding), ...expectationTexts(padding)].join('; ');
  return `epoch ${number}, front ${REASONS[padding.why]} (${sum})`;
}

function sizes({ natural, padded, floor }: PaddingRecord): string {
  const against = floor === undefined ? '' : ` against a floor of ${formatNumber(floor)}`;
  const filled = padded === undefined ? '' : `, ${formatNumber(padded)} with padding`;
  return `about ${formatNumber(natural)} tokens${against}${filled}`;
}

function expectationTexts({ calls, others, gain }: PaddingRecord): readonly string[] {
  return [
    ...(calls === undefined ? [] : [`${calls} call${calls === 1 ? '' : 's'} expected below it`]),
    ...(others === undefined ? [] : [`${formatNumber(others)} other session${others === 1 ? '' : 's'} on it`]),
    ...(gain === undefined
      ? []
      : [`${gain < 0 ? 'loss' : 'gain'} of ${formatNumber(Math.abs(gain))} tokens at the base price expected`]),
  ];
}
