// Store that a benchmark watches. Each append is shown to the benchmark and timed, and the benchmark can add its own
// records after those of the agent.

import type { Event, Log, LogWriter } from '@tidemark/log';

import type { Stopwatch } from './stopwatch.ts';

/** Stopwatch and function with which a benchmark watches a log. */
export interface Watch {
  /** Stopwatch for appends and flushes. */
  readonly time?: Stopwatch | undefined;
  /** Called with the events of each append before it is made. The returned events are appended after them. */
  readonly appending?: (events: readonly Event[]) => readonly Event[];
}

/** Returns the same store with watched writers. */
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
