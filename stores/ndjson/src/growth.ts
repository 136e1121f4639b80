// Waiting until a file may have grown: told by the operating system where it can, by looking where it cannot.

import { watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import type { AbortSignalLike } from '@tidemark/log';

/** Tells that a file may have changed. */
export interface FileGrowth {
  /** Returns at the next change since the last call, after a while in any case, or when the signal aborts. */
  next(): Promise<void>;
  stop(): void;
}

/** Looks at least this often, in milliseconds: file watching is a hint that some file systems never give. */
const LOOK = 250;

/** Begins to watch. */
export function watchGrowth(path: string, signal: AbortSignalLike): FileGrowth {
  let changed = false;
  let wake: (() => void) | undefined;
  const notice = (): void => {
    changed = true;
    wake?.();
  };
  const watcher = tryWatch(path, notice);
  signal.addEventListener('abort', notice);
  return {
    next: () =>
      new Promise((resolve) => {
        const timer = setTimeout(notice, LOOK);
        wake = () => {
          clearTimeout(timer);
          wake = undefined;
          changed = false;
          resolve();
        };
        if (changed || signal.aborted) wake();
      }),
    stop() {
      watcher?.close();
      signal.removeEventListener('abort', notice);
    },
  };
}

function tryWatch(path: string, notice: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(path, notice);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}
