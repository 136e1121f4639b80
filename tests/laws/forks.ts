// Forks (L5): a fork at a position where nothing is open continues, any other is refused with the nearest such positions. The
// parent keeps every byte.

import type { AgentSession } from '@tidemark/agent';
import { AgentError, verifySession } from '@tidemark/agent';
import type { Log } from '@tidemark/log';
import { expect } from 'vitest';
import { takeUp, until } from './agent-perform.ts';
import type { Stage } from './agent-session.ts';
import type { AgentPlayed } from './play.ts';
import { expectAnswer } from './play.ts';
import { encoders } from './server.ts';

/** Forks a played session at the places that its story names, in another process. */
export async function expectForksContinue({ story, stage, place, id, book }: AgentPlayed): Promise<void> {
  const before = place.bytesOf(id);
  await takeUp(stage, -1, place);
  const log = place.open();
  for (const share of story.forks) await tryFork(stage, log, Math.floor(share * book.records.length), story.summarize);
  await until(stage, () => !stage.process.session.running, true);
  const after = place.bytesOf(id).subarray(0, before.length);
  expect(Buffer.compare(after, before)).toBe(0);
  expect(stage.providers.refused).toEqual([]);
}

async function tryFork(stage: Stage, log: Log, at: number, summarize: boolean): Promise<void> {
  const { agent, session } = stage.process;
  try {
    await expectContinues(stage, log, await agent.fork(session.id, { at, summarize }));
  } catch (error) {
    if (!(error instanceof AgentError) || error.code !== 'agent/not-closed') throw error;
    const { before, after } = error.data;
    for (const near of [before, after])
      if (typeof near === 'number')
        await expectContinues(stage, log, await agent.fork(session.id, { at: near, summarize }));
    expect(typeof before === 'number' && before < at).toBe(true);
  }
}

async function expectContinues(
  stage: Stage,
  log: Log,
  fork: Omit<AgentSession, 'fork' | 'switchModel'>,
): Promise<void> {
  await expectAnswer(stage, fork);
  await fork.close();
  const { differences, breaks, problems } = await verifySession(log, fork.id, { encoders });
  expect([differences, breaks.filter(({ cause }) => cause === undefined), problems]).toEqual([[], [], []]);
}
