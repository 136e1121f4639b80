// Hands values from one who pushes to one who pulls, one at a time: who sends waits until the other is through with it.

/** See the head of this file. */
export interface Channel<T> {
  /** Returns when the receiver comes back for more, or has left. One at a time. @throws what `fail` was given. */
  send(value: T): Promise<void>;
  /** Nothing more comes. */
  close(): void;
  /** Ends it for both sides with this error. */
  fail(error: unknown): void;
  /** For one receiver. */
  readonly items: AsyncIterable<T>;
}

/** An open channel. */
export function openChannel<T>(): Channel<T> {
  let offered: { readonly value: T; readonly taken: PromiseWithResolvers<void> } | undefined;
  let failure: { readonly error: unknown } | undefined;
  let isClosed = false;
  let news = Promise.withResolvers<void>();
  const tell = (): void => {
    news.resolve();
    news = Promise.withResolvers();
  };
  const isIdle = (): boolean => offered === undefined && failure === undefined && !isClosed;
  async function* receive(): AsyncGenerator<T> {
    try {
      for (;;) {
        while (isIdle()) await news.promise;
        if (failure !== undefined) throw failure.error;
        if (offered === undefined) return;
        const { value, taken } = offered;
        yield value;
        offered = undefined;
        taken.resolve();
      }
    } finally {
      isClosed = true;
      offered?.taken.resolve();
    }
  }
  return {
    async send(value) {
      if (failure !== undefined) throw failure.error;
      if (isClosed) return;
      const taken = Promise.withResolvers<void>();
      offered = { value, taken };
      tell();
      await taken.promise;
    },
    close() {
      isClosed = true;
      tell();
    },
    fail(error) {
      failure ??= { error };
      offered?.taken.reject(error);
      tell();
    },
    items: receive(),
  };
}
