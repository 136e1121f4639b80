// Following a session as it grows.

import { LogError, createRecordReader, readLineage } from '@tidemark/log';
import type { AbortSignalLike, Recorded, RecordReader, SessionId, Tip } from '@tidemark/log';
import { chunksOf } from './chunks.ts';
import { watchGrowth } from './growth.ts';
import type { Home } from './home.ts';
import { nodeBytes } from './node-bytes.ts';
import { drain, openLog, readOwn, readerNear, tipEndingAt } from './read-log.ts';
import type { OpenLog } from './read-log.ts';
import { lineage } from './read-session.ts';

/** Records from `from` in batches, then new ones as they come, until the signal aborts. */
export async function* tailSession(
  home: Home,
  session: SessionId,
  from: number,
  signal: AbortSignalLike,
): AsyncGenerator<readonly Recorded[]> {
  const origins = await lineage(home, session);
  const log = await openLog(home, session);
  const growth = watchGrowth(log.path, signal);
  try {
    yield* readLineage(origins, from, log.beginning.start, (name, first, end) => readOwn(home, name, first, end));
    let place = await readerNear(home, log, { from, to: Infinity });
    while (!signal.aborted) {
      const reader = readerAt(log, place, from);
      yield* follow(home, log, reader);
      place = reader;
      await growth.next();
    }
  } finally {
    growth.stop();
    await log.handle.close();
  }
}

/** A fresh reader where another one stood: a torn tail that it saw may have been cut since. */
function readerAt(log: OpenLog, { tip, offset }: RecordReader, from: number): RecordReader {
  const line = tip.length - log.beginning.start + 1;
  const place = { path: log.path, tip, offset, line, from, to: Infinity };
  return createRecordReader({ ...place, verifyChain: offset > 0 }, nodeBytes);
}

async function* follow(home: Home, log: OpenLog, reader: RecordReader): AsyncGenerator<readonly Recorded[]> {
  const { tip, offset } = reader;
  try {
    yield* drain(home, log.beginning.session, reader, chunksOf(log.handle, offset));
  } catch (error) {
    if (await standsStill(log, tip, offset)) throw error;
    throw takenBack(log, tip);
  }
  if (!(await standsStill(log, tip, offset))) throw takenBack(log, tip);
}

/** A failed write is taken back; whoever was faster than that has seen records that are none. */
async function standsStill(log: OpenLog, tip: Tip, offset: number): Promise<boolean> {
  return offset === 0 || (await tipEndingAt(log.handle, offset))?.chain === tip.chain;
}

function takenBack({ path, beginning }: OpenLog, tip: Tip): LogError {
  const message = `${path} became shorter while it was followed: a failed write was taken back. Read it again from before position ${tip.length}.`;
  return new LogError('log/moved', message, { session: beginning.session, path, length: tip.length });
}
