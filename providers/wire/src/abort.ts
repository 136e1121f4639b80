// Bridges the small signal of the port to the AbortController that the SDK wants.

import type { AbortSignalLike } from '@tidemark/model';

/** A controller that follows a signal until it is released. */
export interface Bridge {
  readonly controller: AbortController;
  /** Whether the caller aborted, as opposed to us. */
  aborted(): boolean;
  /** Lets go of the caller's signal and of whatever still runs. */
  release(): void;
}

/** Begins to follow. */
export function bridgeAbort(signal: AbortSignalLike | undefined): Bridge {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted === true) controller.abort();
  return {
    controller,
    aborted: () => signal?.aborted === true,
    release() {
      signal?.removeEventListener('abort', abort);
      controller.abort();
    },
  };
}
