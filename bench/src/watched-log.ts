// A store whose appends and flushes are timed, so that they can be told from what is done around them.

import type { Log, LogWriter } from '@tidemark/log';

import type { Stopwatch } from './stopwatch.ts';

/** The same store; each append and flush of the writers that it makes adds to `watch`. */
export function watchedLog(log: Log, watch: Stopwatch): Log {
  return { ...log, create: async (session, parent) => watched(await log.create(session, parent), watch) };
}

function watched(writer: LogWriter, watch: Stopwatch): LogWriter {
  return {
    session: writer.session,
    fence: writer.fence,
    get length() {
      return writer.length;
    },
    get chain() {
      return writer.chain;
    },
    append: (events, expected) => watch.wait(() => writer.append(events, expected)),
    sync: () => watch.wait(() => writer.sync()),
    close: () => writer.close(),
  };
}
