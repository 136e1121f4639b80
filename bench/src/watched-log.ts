// Wrapper around a store for benchmarks. It shows each append to the benchmark and measures its time. The benchmark can
// add its own records after those of the agent.

import type { Event, Log, LogWriter } from '@tidemark/log';

import type { Stopwatch } from './stopwatch.ts';

/** Stopwatch and function with which a benchmark watches a log. */
export interface Watch {
  /** Stopwatch for appends and flushes. */
  readonly time?: Stopwatch | undefined;
  /**
   * Called with the events of each append before they are written. The returned events are written after them, in the
   * same append.
   */
  readonly appending?: (events: readonly Event[]) => readonly Event[];
}

/**
 * Returns a log with the same content as `log`, in which every append and flush of a writer is watched as `watch`
 * requests.
 */
export function watchedLog(log: Log, watch: Watch): Log {
  return {
    ...log,
    create: async (session, parent) => watched(await log.create(session, parent), watch),
    open: async (session) => watched(await log.open(session), watch),
  };
}

function watched(writer: LogWriter, { time, appending }: Watch): LogWriter {
  const timed = <T>(work: () => Promise<T>): Promise<T> => (time === undefined ? work() : time.wait(work));
  return {
    session: writer.session,
    fence: writer.fence,
    get length() {
      return writer.length;
    },
    get chain() {
      return writer.chain;
    },
    append(events, expected) {
      const more = appending?.(events) ?? [];
      return timed(() => writer.append([...events, ...more], expected));
    },
    sync: () => timed(() => writer.sync()),
    close: () => writer.close(),
  };
}
