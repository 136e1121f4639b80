// Hand-over: a log whose writers stop before the next request to a model. The turn of a session then ends after its
// current step without an end in the log, and another worker continues it.

import type { Event, Log, LogWriter } from '@tidemark/log';
import { LogError } from '@tidemark/log';

/** A log whose sessions can be handed over. */
export interface HandedLog {
  readonly log: Log;
  /** From now on, no request is recorded, so no turn begins its next step. */
  stop(): void;
}

/** Wraps a log. Only writers change: a stopped one refuses events that begin a request. */
export function createHandedLog(log: Log): HandedLog {
  let isStopped = false;
  const wrap = (writer: LogWriter): LogWriter => ({
    session: writer.session,
    fence: writer.fence,
    get length() {
      return writer.length;
    },
    get chain() {
      return writer.chain;
    },
    async append(events: readonly Event[], expected: number) {
      if (isStopped && events.some(({ kind }) => kind === 'request.prepared')) throw stopped(writer);
      return writer.append(events, expected);
    },
    sync: () => writer.sync(),
    close: () => writer.close(),
  });
  return {
    log: {
      ...log,
      create: async (session, parent) => wrap(await log.create(session, parent)),
      open: async (session) => wrap(await log.open(session)),
    },
    stop() {
      isStopped = true;
    },
  };
}

function stopped({ session }: LogWriter): LogError {
  const message = `Session ${session} is handed over to another worker, which continues its turn.`;
  return new LogError('log/closed', message, { session });
}
