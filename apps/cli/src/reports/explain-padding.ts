// Explains in one sentence why the front of an epoch was padded, or why it was not padded.

import type { EpochOpened, PaddingReason, PaddingRecord } from '@tidemark/log';

import { formatNumber } from '../frame/numbers.ts';

const REASONS: Readonly<Record<PaddingReason, string>> = {
  pays: 'padded: this was expected to save cost',
  always: 'padded, as configured',
  never: 'not padded, as configured',
  costs: 'not padded: padding was expected to cost more than it saves',
  'above-floor': 'not padded: the front is large enough to be cached',
  'no-fit': 'not padded: whole sections end either below the floor or above the cap',
  implicit: 'not padded: the provider caches without markers, so the gain cannot be calculated',
  uncached: 'not padded: no cache is known for this model',
  'unknown-floor': 'not padded: the floor of this model is unknown',
  'unknown-price': 'not padded: the prices of this model are unknown',
};

/**
 * Returns the reason and the known figures, such as `epoch 0, front not padded: …`. If the epoch has no padding record,
 * returns `undefined`.
 */
export function explainPadding({ number, padding }: Pick<EpochOpened, 'number' | 'padding'>): string | undefined {
  if (padding === undefined) return undefined;
  const sum = [sizes(padding), ...expectationTexts(padding)].join('; ');
  return `epoch ${number}, front ${REASONS[padding.why]} (${sum})`;
}

function sizes({ natural, padded, floor }: PaddingRecord): string {
  const against = floor === undefined ? '' : `, floor ${formatNumber(floor)}`;
  const filled = padded === undefined ? '' : `, ${formatNumber(padded)} with padding`;
  return `about ${formatNumber(natural)} tokens${against}${filled}`;
}

function expectationTexts({ calls, others, gain }: PaddingRecord): readonly string[] {
  return [
    ...(calls === undefined ? [] : [`${calls} call${calls === 1 ? '' : 's'} expected below the floor`]),
    ...(others === undefined
      ? []
      : [`${formatNumber(others)} other session${others === 1 ? '' : 's'} with the same front`]),
    ...(gain === undefined
      ? []
      : [`expected ${gain < 0 ? 'loss' : 'gain'}: ${formatNumber(Math.abs(gain))} tokens at the base price`]),
  ];
}
