// Runs a contract test with a fresh store and disposes of the store afterwards.

import { it } from 'vitest';
import type { LogFactory, LogUnderTest } from './log-under-test.ts';

/**
 * Timeout of a `claim`, in milliseconds: 10 minutes, or one day with `TIDEMARK_FULL=1`. The timeout only stops tests
 * that hang. It is long because the full sizes are slow and the machine may be busy.
 */
const TIMEOUT = process.env['TIDEMARK_FULL'] === '1' ? 86_400_000 : 600_000;

/** Registers one contract test, which gets a fresh store. */
export function claim(factory: LogFactory, title: string, test: (store: LogUnderTest) => Promise<void>): void {
  it(title, { timeout: TIMEOUT }, async () => {
    const store = await factory();
    try {
      await test(store);
    } finally {
      await store.dispose();
    }
  });
}

/**
 * Registers a contract test for a feature that some stores do not have. If the store does not have the feature, the
 * test is skipped with `reason`.
 */
export function claimWhere<Part>(
  factory: LogFactory,
  title: string,
  part: (store: LogUnderTest) => Part | undefined,
  reason: string,
  test: (store: LogUnderTest, part: Part) => Promise<void>,
): void {
  it(title, async (context) => {
    const store = await factory();
    try {
      const found = part(store);
      if (found === undefined) context.skip(reason);
      else await test(store, found);
    } finally {
      await store.dispose();
    }
  });
}
