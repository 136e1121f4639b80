// Test helper: runs all work that is ready to run.

/** Waits for five rounds of the event loop. No virtual time passes. */
export async function ticks(): Promise<void> {
  for (let count = 0; count < 5; count += 1) await new Promise(setImmediate);
}

/**
 * Waits for `count` rounds of the microtask queue. Every 500th time it waits for the event loop instead, so that the
 * work of the event loop can run too.
 */
export async function moments(count: number): Promise<void> {
  for (let moment = 1; moment <= count; moment += 1) {
    if (moment % 500 === 0) await new Promise(setImmediate);
    else await Promise.resolve();
  }
}
