// How many may work at once: the others wait in line.

/** See the head of this file. */
export interface Semaphore {
  /** Ends once there is room, with what gives it back; `undefined` when the signal aborts before. */
  enter(signal: AbortSignal): Promise<(() => void) | undefined>;
}

/** So many slots, all of them free. */
export function createSemaphore(most: number): Semaphore {
  let free = most;
  const line: (() => void)[] = [];
  const leave = (): void => {
    const next = line.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return {
    async enter(signal) {
      if (signal.aborted) return undefined;
      if (free === 0) return (await waitIn(line, signal)) ? leave : undefined;
      free -= 1;
      return leave;
    },
  };
}

/** Whoever gives up leaves the line, so that no slot is handed to nobody. */
async function waitIn(line: (() => void)[], signal: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const enter = (): void => resolve(true);
  const giveUp = (): void => {
    const place = line.indexOf(enter);
    if (place === -1) return;
    line.splice(place, 1);
    resolve(false);
  };
  line.push(enter);
  signal.addEventListener('abort', giveUp, { once: true });
  const entered = await promise;
  signal.removeEventListener('abort', giveUp);
  return entered;
}
