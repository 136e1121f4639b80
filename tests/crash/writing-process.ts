// Process that writes sessions until it is killed. After each returned sync it prints what is acknowledged: the
// session, its length and its chain digest. The content of each record depends only on its position, so a doubled
// record is visible.

import { writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { LogError, sessionId } from '@tidemark/log';
import type { LogWriter, SessionId } from '@tidemark/log';
import { openNdjsonStore } from '@tidemark/store-ndjson';
import type { NdjsonStore } from '@tidemark/store-ndjson';
import { beginningEvent, eventAt } from './written-events.ts';

const [home = '', ...names] = process.argv.slice(2);
const store = openNdjsonStore({ home });
// Writes the compile cache now, because a killed process does not write it at exit.
flushCompileCache();

async function openOrCreate(log: NdjsonStore, session: SessionId): Promise<LogWriter> {
  try {
    return await log.open(session);
  } catch (error) {
    if (error instanceof LogError && error.code === 'log/missing') return log.create(session);
    throw error;
  }
}

async function write(session: SessionId): Promise<never> {
  const writer = await openOrCreate(store, session);
  for (let turn = 0; ; turn += 1) {
    const batch = Array.from({ length: 1 + (turn % 4) }, (_, index) => eventAt(session, writer.length + index));
    const events = writer.length === 0 ? [beginningEvent(session)] : batch;
    await writer.append(events, writer.length);
    if (turn % 3 === 2) await writer.append([eventAt(session, writer.length)], writer.length);
    if (turn % 5 === 4) await store.artifacts.put(Buffer.from(`${session} ${writer.length}`));
    await writer.sync();
    writeSync(1, `${session} ${writer.length} ${writer.chain}\n`);
  }
}

await Promise.all(names.map((name) => write(sessionId(name))));
