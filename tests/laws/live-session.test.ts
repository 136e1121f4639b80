// The session actor under random commands at random moments: prompts, steers, interrupts, settings, side calls, restarts and
// crashes, while tools fail, hang and write on, and providers do. After each story the laws hold.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LiveStory } from './live-commands.ts';
import { liveStory } from './live-commands.ts';
import { closeLife, performLive, until } from './live-perform.ts';
import { checkPromises, checkQuiet, checkTold } from './live-promises.ts';
import { checkRequests } from './live-requests.ts';
import type { Stage } from './live-stage.ts';
import { beginStage } from './live-stage.ts';
import { checkWork } from './live-work.ts';
import { readBook } from './book.ts';
import type { StoreName } from './place.ts';
import { newPlace } from './place.ts';
import { PATIENCE, stories } from './try-stories.ts';

describe.each<{ readonly store: StoreName; readonly runs: number }>([
  { store: 'memory', runs: 150 },
  { store: 'ndjson', runs: 100 },
])('a session at work on $store', ({ store, runs }) => {
  it(
    'L1, L2, L3, L4, L7, L8: whatever is done to it at whatever moment, it goes on, and the laws hold',
    async () => {
      await fc.assert(
        fc.asyncProperty(liveStory(24), (told) => playLive(store, told)),
        { numRuns: stories({ store, provider: 'simulator' }, runs), interruptAfterTimeLimit: PATIENCE },
      );
    },
    PATIENCE + 60_000,
  );
});

async function playLive(store: StoreName, told: LiveStory): Promise<void> {
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', note);
  const stage = await beginStage(newPlace(store), told);
  try {
    const crashed = new Set<number>();
    for (const command of told.commands) {
      if (command.do === 'crash') crashed.add(stage.life.number);
      await performLive(stage, command);
    }
    await checkEnd(stage, crashed);
    expect(unhandled).toEqual([]);
  } finally {
    stage.life.release();
    await closeLife(stage, stage.life);
    for (const place of stage.places) place.remove();
    process.off('unhandledRejection', note);
  }
}

/** One more prompt is answered, whatever came before it; then all is closed, and looked at. */
async function checkEnd(stage: Stage, crashed: ReadonlySet<number>): Promise<void> {
  const { life, server, ran } = stage;
  await until(stage, () => !life.live.running, true);
  stage.script = [];
  stage.world = 'silent';
  stage.beside.clear();
  let ended = false;
  const last = life.live.prompt('Are you there?');
  last.then(
    () => (ended = true),
    () => (ended = true),
  );
  await until(stage, () => ended, false);
  expect(await last).toMatchObject({ outcome: 'completed', text: 'Done.' });
  await closeLife(stage, life);
  checkQuiet(stage);
  expect(server.refused).toEqual([]);
  const log = life.place.open();
  const book = await readBook(log, life.live.id);
  const records = book.map(({ record }) => record);
  checkWork(records, ran);
  checkPromises(stage.promised, records, crashed);
  checkTold(life, records.length);
  await checkRequests(log, life.live.id, book, server);
}
