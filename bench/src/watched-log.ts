// A store that a benchmark looks into: what is appended is shown, what appending takes is timed, and a record of the
// benchmark's own can be put behind one of the agent's.

import type { Event, Log, LogWriter } from '@tidemark/log';

import type { Stopwatch } from './stopwatch.ts';

/** What a benchmark wants of a log. */
export interface Watch {
  /** Appends and flushes add to it. */
  readonly time?: Stopwatch | undefined;
  /** Shown the records of each append before it is made; what it returns is appended behind them. */
  readonly appending?: (events: readonly Event[]) => readonly Event[];
}

/** The same store, with the writers that it gives watched. */
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
