// A test that gets a fresh store and leaves nothing behind.

import { it } from 'vitest';
import type { LogFactory, LogUnderTest } from './log-under-test.ts';

/** Ends what hangs, in milliseconds: the whole sizes (TIDEMARK_FULL=1) take their time, and a machine may be busy. */
const TIMEOUT = process.env['TIDEMARK_FULL'] === '1' ? 86_400_000 : 600_000;

/** A claim about a store. */
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

/** A claim that needs something that not every store has: a skip says what. */
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
