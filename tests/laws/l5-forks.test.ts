// L5 where a session is left: a fork at any position of any session either goes on, or is refused with the nearest positions
// that do. Its parent stays as it is, byte for byte.

import type { AgentSession } from '@tidemark/agent';
import { AgentError, verifySession } from '@tidemark/agent';
import type { Log } from '@tidemark/log';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LiveStory } from './live-commands.ts';
import { liveStory } from './live-commands.ts';
import { closeLife, performLive, until } from './live-perform.ts';
import type { Stage } from './live-stage.ts';
import { beginStage } from './live-stage.ts';
import type { StoreName } from './place.ts';
import { newPlace } from './place.ts';
import { encoders } from './server.ts';
import { PATIENCE, stories } from './try-stories.ts';

/** Where forks are tried: shares of the length of the log. */
const places = fc.array(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), { minLength: 1, maxLength: 4 });

describe.each<{ readonly store: StoreName; readonly runs: number }>([
  { store: 'memory', runs: 150 },
  { store: 'ndjson', runs: 60 },
])('a session that is forked on $store', ({ store, runs }) => {
  it(
    'L5: is as it was, and each fork at a closed position goes on; any other is refused with the nearest closed ones',
    async () => {
      await fc.assert(
        fc.asyncProperty(liveStory(10), places, fc.boolean(), (told, shares, summarize) =>
          playForks(store, told, shares, summarize),
        ),
        { numRuns: stories({ store, provider: 'simulator' }, runs), interruptAfterTimeLimit: PATIENCE },
      );
    },
    PATIENCE + 60_000,
  );
});

async function playForks(
  store: StoreName,
  told: LiveStory,
  shares: readonly number[],
  summarize: boolean,
): Promise<void> {
  const stage = await beginStage(newPlace(store), told);
  try {
    for (const command of told.commands) await performLive(stage, command);
    await until(stage, () => !stage.life.live.running, true);
    stage.script = [];
    stage.world = 'silent';
    const { live, place } = stage.life;
    const log = place.open();
    const before = place.bytesOf(live.id);
    const { length } = await Array.fromAsync(log.read(live.id));
    for (const share of shares) await tryFork(stage, log, Math.floor(share * length), summarize);
    const after = place.bytesOf(live.id).subarray(0, before.length);
    expect(Buffer.compare(after, before)).toBe(0);
    expect(stage.server.refused).toEqual([]);
  } finally {
    stage.life.release();
    await closeLife(stage, stage.life);
    for (const place of stage.places) place.remove();
  }
}

async function tryFork(stage: Stage, log: Log, at: number, summarize: boolean): Promise<void> {
  const { agent, live } = stage.life;
  try {
    await goOn(stage, log, await agent.fork(live.id, { at, summarize }));
  } catch (error) {
    if (!(error instanceof AgentError) || error.code !== 'agent/not-closed') throw error;
    const { before, after } = error.data;
    for (const near of [before, after])
      if (typeof near === 'number') await goOn(stage, log, await agent.fork(live.id, { at: near, summarize }));
    expect(typeof before === 'number' && before < at).toBe(true);
  }
}

/** The fork is told one thing more, and answers. */
async function goOn(stage: Stage, log: Log, fork: Omit<AgentSession, 'fork' | 'switchModel'>): Promise<void> {
  let ended = false;
  const turn = fork.prompt('Are you there?');
  turn.then(
    () => (ended = true),
    () => (ended = true),
  );
  await until(stage, () => ended, false);
  expect(await turn).toMatchObject({ outcome: 'completed', text: 'Done.' });
  await fork.close();
  const { differences, breaks, problems } = await verifySession(log, fork.id, { encoders });
  expect([differences, breaks.filter(({ cause }) => cause === undefined), problems]).toEqual([[], [], []]);
}
