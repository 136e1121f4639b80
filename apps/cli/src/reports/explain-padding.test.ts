import type { PaddingRecord } from '@tidemark/log';
import { expect, test } from 'vitest';

import { explainPadding } from './explain-padding.ts';

test.each<readonly [PaddingRecord, string]>([
  [
    { setting: 'auto', natural: 3_571, padded: 4_590, floor: 4_096, calls: 1.9, gain: 3_948, why: 'pays' },
    'epoch 2, front padded: this was expected to save cost (about 3,571 tokens, floor 4,096, 4,590 with padding; 1.9 calls expected below the floor; expected gain: 3,948 tokens at the base price)',
  ],
  [
    { setting: 'auto', natural: 1_890, padded: 4_510, floor: 4_096, others: 2, calls: 1, gain: -2_672, why: 'costs' },
    'epoch 2, front not padded: padding was expected to cost more than it saves (about 1,890 tokens, floor 4,096, 4,510 with padding; 1 call expected below the floor; 2 other sessions with the same front; expected loss: 2,672 tokens at the base price)',
  ],
  [
    { setting: 'auto', natural: 1_890, padded: 4_510, why: 'unknown-floor' },
    'epoch 2, front not padded: the floor of this model is unknown (about 1,890 tokens, 4,510 with padding)',
  ],
  [
    { setting: 'auto', natural: 2_709, why: 'uncached' },
    'epoch 2, front not padded: no cache is known for this model (about 2,709 tokens)',
  ],
  [
    { setting: 'never', natural: 1_890, floor: 1_024, why: 'never' },
    'epoch 2, front not padded, as configured (about 1,890 tokens, floor 1,024)',
  ],
])('`explainPadding` explains %j', (padding, told) => {
  expect(explainPadding({ number: 2, padding })).toBe(told);
});

test('`explainPadding` returns `undefined` without a padding record', () => {
  expect(explainPadding({ number: 0 })).toBeUndefined();
});
