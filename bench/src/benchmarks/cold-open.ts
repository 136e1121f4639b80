// Measures the opening of a long session without a snapshot: the log is read, checked, decoded and folded.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { SessionId } from '@tidemark/log';
import { foldLog, openSession } from '@tidemark/agent';
import { openNdjsonStore } from '@tidemark/store-ndjson';

import type { Benchmark, Measured } from '../benchmark.ts';
import { median } from '../figures.ts';
import { beginSteady } from '../steady-session.ts';
import { timedAsync } from '../stopwatch.ts';
import { withTemporaryHome } from '../temporary-home.ts';

export const benchmark: Benchmark = {
  name: 'cold-open',
  against: 'reading the file of 100,000 events and JSON.parse of its lines',
  target: 1.5,
  run,
};

const EVENTS = 100_000;
const ROUNDS = 5;
/** Number of steps in a turn. */
const STEPS = 100;

async function run(): Promise<Measured> {
  return withTemporaryHome(async (home) => {
    const id = await writeLog(home);
    const path = join(home, 'sessions', id, 'log.ndjson');
    const fold: number[] = [];
    const open: number[] = [];
    const parse: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      parse.push(await timedAsync(() => parseLines(path)));
      fold.push(await timedAsync(() => foldLog(openNdjsonStore({ home }), id)));
      open.push(await timedAsync(() => openAndClose(home, id)));
    }
    return {
      ratio: median(fold) / median(parse),
      details: { foldMs: median(fold), parseMs: median(parse), openToWriteMs: median(open), events: EVENTS },
    };
  });
}

async function writeLog(home: string): Promise<SessionId> {
  const log = openNdjsonStore({ home });
  const steady = await beginSteady({ log, calls: 8, bytes: 300 });
  while (steady.length < EVENTS) await steady.turn(STEPS);
  await steady.close();
  return steady.id;
}

async function parseLines(path: string): Promise<number> {
  let fields = 0;
  for (const line of (await readFile(path, 'utf8')).split('\n')) {
    if (line === '') continue;
    const record: unknown = JSON.parse(line);
    if (typeof record === 'object') fields += 1;
  }
  return fields;
}

/** Opens the session for writing: the log is scanned to its end under the lock, and then folded. */
async function openAndClose(home: string, id: SessionId): Promise<void> {
  const session = await openSession(openNdjsonStore({ home }), id);
  await session.writer.close();
}
