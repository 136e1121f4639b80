// Lets everything that is ready to run do so.

/** Some turns of the event loop: no time. */
export async function ticks(): Promise<void> {
  for (let count = 0; count < 5; count += 1) await new Promise(setImmediate);
}

/** So many steps of the microtask queue; now and then one of the event loop, for what waits for that. */
export async function moments(count: number): Promise<void> {
  for (let moment = 1; moment <= count; moment += 1) {
    if (moment % 500 === 0) await new Promise(setImmediate);
    else await Promise.resolve();
  }
}
