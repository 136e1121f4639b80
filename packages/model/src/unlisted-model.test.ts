import { expect, it } from 'vitest';
import { unlistedModel } from './unlisted-model.ts';

it('`unlistedModel` uses the limits that the user gives, and leaves prices, floor and lifetimes unknown (L7)', () => {
  const properties = {
    provider: 'compatible',
    model: 'llama3.3',
    window: 32_768,
    outputLimit: 4_096,
    asOf: '2026-11-21',
  };
  const row = unlistedModel(properties);
  expect(row).toMatchObject({ inputLimit: 28_672, outputLimit: 4_096, markers: 'unknown', prices: [], ttls: [] });
  expect(row).not.toHaveProperty('floor');
});
