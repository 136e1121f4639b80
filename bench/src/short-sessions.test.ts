import { expect, test } from 'vitest';

import { benchmark } from './benchmarks/billed-short.ts';

test('short sessions below a high floor are billed at most 1.02 times the better fixed setting of padding', async () => {
  const { ratio } = await benchmark.run();
  expect(ratio).not.toBeNull();
  expect(ratio).toBeLessThanOrEqual(benchmark.target);
});
