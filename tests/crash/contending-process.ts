// Writer process that competes with other processes for one session. It tries again until it has the lock. Then it
// appends a few records, prints each acknowledged length, and releases the lock. The content of each record depends
// only on its position.

import { writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import { LogError, sessionId } from '@tidemark/log';
import type { LogWriter } from '@tidemark/log';
import { openNdjsonStore } from '@tidemark/store-ndjson';
import { beginningEvent, eventAt } from './written-events.ts';

const [home = '', name = ''] = process.argv.slice(2);
const session = sessionId(name);
const store = openNdjsonStore({ home });
flushCompileCache();

/** Opens or creates the session. Returns `undefined` while another process holds the lock. */
async function take(): Promise<LogWriter | undefined> {
  try {
    return await store.open(session);
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
    if (error.code === 'log/locked') return undefined;
    if (error.code !== 'log/missing') throw error;
  }
  try {
    return await store.create(session);
  } catch (error) {
    if (error instanceof LogError && (error.code === 'log/locked' || error.code === 'log/exists')) return undefined;
    throw error;
  }
}

for (;;) {
  const writer = await take();
  if (writer === undefined) {
    await pause(1);
    continue;
  }
  for (let turn = 0; turn < 4; turn += 1) {
    const event = writer.length === 0 ? beginningEvent(session) : eventAt(session, writer.length);
    await writer.append([event], writer.length);
    await writer.sync();
    writeSync(1, `${writer.length} ${writer.chain}\n`);
  }
  await writer.close();
}
