// Waiting for somebody who may not heed an abort.

/** Why a wait is over whose end nobody needs. Made once: each of its kind takes the stack where it is made. */
export const OVER: DOMException = new DOMException('what was waited for has ended', 'AbortError');

/** What the work comes to, or `undefined` as soon as the signal aborts; what it comes to after that is ignored. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const done = new AbortController();
  try {
    return await Promise.race([work, abortOf(signal, done.signal).then(() => undefined)]);
  } finally {
    done.abort(OVER);
  }
}

/** Ends when the signal aborts, which it may never do. `over` takes the listener away. */
export function abortOf(signal: AbortSignal, over: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true, signal: over });
  });
}
