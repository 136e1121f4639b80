// Forks (L5). A fork at a position where no turn is open continues. A fork at any other position is refused, and the
// error contains the nearest allowed positions. The log of the parent keeps every byte.

import { AgentError, verifySession } from '@tidemark/agent';
import type { Log, Recorded } from '@tidemark/log';
import { expect } from 'vitest';
import { takeUp, until } from './agent-perform.ts';
import type { Stage } from './agent-session.ts';
import type { AgentPlayed } from './play.ts';
import { expectAnswer } from './play.ts';
import { encoders } from './server.ts';

/**
 * Forks a played session in another process, at the places in `story.forks`. If a place is not allowed, expects a
 * refusal, and forks at the nearest allowed positions.
 */
export async function expectForksContinue({ story, stage, place, id, book }: AgentPlayed): Promise<void> {
  const before = place.bytesOf(id);
  const closed = closedPositions(book.records);
  await takeUp(stage, -1, place);
  const log = place.open();
  for (const share of story.forks) {
    const at = Math.floor(share * book.records.length);
    if (closed.includes(at)) await expectForkContinues(stage, log, { at, summarize: story.summarize });
    else {
      await expectRefused(stage, at, closed);
      const near = [closed.findLast((one) => one < at), closed.find((one) => one > at)];
      for (const one of near)
        if (one !== undefined) await expectForkContinues(stage, log, { at: one, summarize: story.summarize });
    }
  }
  await until(stage, () => !stage.process.session.running, true);
  const after = place.bytesOf(id).subarray(0, before.length);
  expect(Buffer.compare(after, before)).toBe(0);
  expect(stage.providers.refused).toEqual([]);
}

/**
 * Returns the positions at which no turn is open. A fork is allowed there, because agents make requests and run tools
 * only inside a turn.
 */
function closedPositions(records: readonly Recorded[]): readonly number[] {
  let open = false;
  return records.flatMap(({ kind, position }) => {
    if (kind === 'turn.started' || kind === 'turn.resumed') open = true;
    if (kind === 'turn.ended') open = false;
    return open ? [] : [position];
  });
}

async function expectRefused(stage: Stage, at: number, closed: readonly number[]): Promise<void> {
  const { agent, session } = stage.process;
  const error = await Promise.resolve(agent.fork(session.id, { at })).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof AgentError)) throw new Error(`a fork at ${at} was not refused`, { cause: error });
  const before = closed.findLast((one) => one < at);
  const after = closed.find((one) => one > at);
  expect({ code: error.code, at, before: error.data.before, after: error.data.after }).toEqual({
    code: 'agent/not-closed',
    at,
    before,
    after,
  });
}

async function expectForkContinues(
  stage: Stage,
  log: Log,
  options: { readonly at: number; readonly summarize: boolean },
): Promise<void> {
  const fork = await stage.process.agent.fork(stage.process.session.id, options);
  await expectAnswer(stage, fork);
  await fork.close();
  const { differences, breaks, problems } = await verifySession(log, fork.id, { encoders });
  expect([differences, breaks.filter(({ cause }) => cause === undefined), problems]).toEqual([[], [], []]);
}
