// Processor time of an append without the file system: encoding, checking, chaining and checksumming records.

import { createHash } from 'node:crypto';

import { createMemoryStore } from '@tidemark/store-memory';
import { openNdjsonStore } from '@tidemark/store-ndjson';
import type { Event, LogWriter, SessionId } from '@tidemark/log';

import type { Benchmark, Measured } from '../benchmark.ts';
import { median } from '../figures.ts';
import { quietFiles } from '../quiet-files.ts';
import { beginSteady } from '../steady-session.ts';
import { processorTime } from '../stopwatch.ts';
import { withTemporaryHome } from '../temporary-home.ts';
import { watchedLog } from '../watched-log.ts';

export const benchmark: Benchmark = {
  name: 'append',
  against: 'JSON.stringify and SHA-256 of the same records, by processor time',
  target: 2,
  run,
};

const STEPS = 250;
const RESULT_BYTES = 2_000;
const ROUNDS = 9;

async function run(): Promise<Measured> {
  const { id, events } = await recordedEvents();
  const ours: number[] = [];
  const theirs: number[] = [];
  let bytes = 0;
  await withTemporaryHome(async (home) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const quiet = quietFiles();
      const writer = await openNdjsonStore({ home: `${home}/${round}`, files: quiet.files }).create(id);
      ours.push(await processorTime(() => appendEach(writer, events)));
      theirs.push(await processorTime(() => digestEach(events)));
      await writer.close();
      ({ bytes } = quiet);
    }
  });
  const perAppend = (ms: number): number => (1_000 * ms) / events.length;
  return {
    ratio: median(ours) / median(theirs),
    details: {
      oursUs: perAppend(median(ours)),
      theirsUs: perAppend(median(theirs)),
      appends: events.length,
      meanBytes: bytes / events.length,
    },
  };
}

/**
 * Returns the events of a session as they were passed to `append`. Events read from a log cannot be used, because their
 * keys are in sorted order.
 */
async function recordedEvents(): Promise<{ readonly id: SessionId; readonly events: readonly Event[] }> {
  const events: Event[] = [];
  const log = watchedLog(createMemoryStore(), {
    appending(given) {
      events.push(...given);
      return [];
    },
  });
  const { id, turn, close } = await beginSteady({ log, calls: 1, bytes: RESULT_BYTES });
  await turn(STEPS);
  await close();
  return { id, events };
}

async function appendEach(writer: LogWriter, events: readonly Event[]): Promise<void> {
  for (const event of events) await writer.append([event], writer.length);
}

/** Digests each event asynchronously, as an append does. */
async function digestEach(events: readonly Event[]): Promise<void> {
  for (const event of events) await digest(event);
}

async function digest(event: Event): Promise<string> {
  return createHash('sha256').update(JSON.stringify(event)).digest('hex');
}
