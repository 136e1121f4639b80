// Waiting with an end: a stream that says nothing for too long is given up.

/**
 * What the promise gives, unless it takes longer than `idleMs`.
 *
 * @throws what `silent` makes when it does; whatever comes of the promise later is of no concern then.
 */
export async function within<T>(promise: Promise<T>, idleMs: number, silent: (idleMs: number) => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(silent(idleMs)), idleMs);
  });
  try {
    return await Promise.race([promise, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
