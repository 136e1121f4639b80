// Worlds of the laws, and the two ways to play a story: by the turn loop of the tests (`loop.ts`), which does nothing on its
// own, and by an agent (`agent-session.ts`), which is disturbed at every moment. Both leave a `Played` for the same laws.

import type { Prepared, Verification } from '@tidemark/agent';
import { rebuildSession, verifySession } from '@tidemark/agent';
import type { Log, SessionId } from '@tidemark/log';
import type { SimulatedUsage } from '@tidemark/simulator';
import { expect } from 'vitest';
import type { AgentStory } from './agent-commands.ts';
import { closeProcess, performByAgent, until } from './agent-perform.ts';
import type { Stage } from './agent-session.ts';
import { beginStage } from './agent-session.ts';
import type { Book } from './book.ts';
import { readBook } from './book.ts';
import type { LoopStory } from './loop-commands.ts';
import { perform } from './loop-perform.ts';
import type { Loop } from './loop.ts';
import { beginLoop } from './loop.ts';
import type { Place, StoreName } from './place.ts';
import { newPlace, within } from './place.ts';
import type { ProviderName } from './server.ts';
import { encoders, newServer } from './server.ts';

/** A store and a provider. */
export interface World {
  readonly store: StoreName;
  readonly provider: ProviderName;
}

/** A request as the laws judge it. */
export interface JudgedRequest {
  readonly prepared: Pick<Prepared, 'body' | 'record' | 'sequence' | 'capabilities'>;
  /** Usage by the server's account. Absent if the server keeps none or the call failed. */
  readonly billed: SimulatedUsage | undefined;
}

/** A story that was played to its end. Its session is closed. Checks change nothing in its place, but may copy it. */
export interface Played {
  readonly world: World;
  readonly place: Place;
  /** Store of a process that did not see the session. */
  readonly log: Log;
  readonly id: SessionId;
  readonly book: Book;
  /** Requests of the log, ancestors and side calls included, in order. */
  readonly requests: readonly JudgedRequest[];
  /** Digests of the bodies that arrived at the server, in order. */
  readonly arrived: readonly string[];
  /** True if a process stopped in the middle of its work. */
  readonly crashed: boolean;
  /** Verification of the log, with each request rebuilt from the one before it. */
  readonly verified: Verification;
}

/** A story that the turn loop played. `calls` are the requests as they were sent. */
export interface LoopPlayed extends Played {
  readonly story: LoopStory;
  readonly loop: Loop;
}

/** A story that an agent played. */
export interface AgentPlayed extends Played {
  readonly story: AgentStory;
  readonly stage: Stage;
}

/** Plays a story by the turn loop, in a place of its own. */
export function playLoop(world: World, story: LoopStory, judge: (played: LoopPlayed) => Promise<void>): Promise<void> {
  return within(newPlace(world.store), async (place) => {
    const loop = await beginLoop(place, newServer(world.provider), story);
    try {
      for (const command of story.commands) await perform(loop, command);
    } finally {
      await loop.session.writer.close();
    }
    const id = loop.session.writer.session;
    const arrived = loop.server.calls().map(({ digest }) => digest);
    await judge({ ...(await judgedIn(world, place, id)), requests: loop.calls, arrived, crashed: false, story, loop });
  });
}

/**
 * Plays a story by an agent, in a place of its own. After the story the agent answers one more prompt and closes. No promise
 * is rejected without a handler.
 */
export async function playAgent(
  world: World,
  story: AgentStory,
  judge: (played: AgentPlayed) => Promise<void>,
): Promise<void> {
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', note);
  const stage = await beginStage(newPlace(world.store), story);
  try {
    for (const command of story.commands) await performByAgent(stage, command);
    await until(stage, () => !stage.process.session.running, true);
    stage.script = [];
    stage.source = 'silent';
    stage.beside.clear();
    await expectAnswer(stage, stage.process.session);
    await closeProcess(stage, stage.process);
    expect(unhandled).toEqual([]);
    const { place, session } = stage.process;
    const judged = await judgedIn(world, place, session.id);
    const calls = stage.providers.server.calls();
    const arrived = calls.map(({ digest }) => digest);
    const billed = new Map(calls.map(({ message, usage }) => [message, usage]));
    const requests = await rebuiltRequests(judged, billed);
    await judge({ ...judged, requests, arrived, crashed: stage.crashed.size > 0, story, stage });
    expect(unhandled).toEqual([]);
  } finally {
    stage.process.release();
    await closeProcess(stage, stage.process);
    for (const place of stage.places) place.remove();
    process.off('unhandledRejection', note);
  }
}

/** Prompts a session once more and expects its answer. */
export async function expectAnswer(stage: Stage, session: Pick<Stage['process']['session'], 'prompt'>): Promise<void> {
  let ended = false;
  const turn = session.prompt('Are you there?');
  const end = (): void => void (ended = true);
  turn.then(end, end);
  await until(stage, () => ended, false);
  expect(await turn).toMatchObject({ outcome: 'completed', text: 'Done.' });
}

async function judgedIn(
  world: World,
  place: Place,
  id: SessionId,
): Promise<Pick<Played, 'world' | 'place' | 'log' | 'id' | 'book' | 'verified'>> {
  const log = place.open();
  const verified = await verifySession(log, id, { encoders });
  return { world, place, log, id, book: await readBook(log, id), verified };
}

/** Rebuilds the requests of an agent's session from its log. The usage of each is that of its answer. */
async function rebuiltRequests(
  { log, id, book }: Pick<Played, 'log' | 'id' | 'book'>,
  billed: ReadonlyMap<string | undefined, SimulatedUsage | undefined>,
): Promise<readonly JudgedRequest[]> {
  const usages = new Map<number, SimulatedUsage | undefined>();
  for (const record of book.records)
    if (record.kind === 'answer.received' && record.data.request !== undefined)
      usages.set(record.data.request, billed.get(record.data.response));
  const requests: JudgedRequest[] = [];
  for await (const step of rebuildSession(log, id, { encoders })) {
    if (step.type === 'record') continue;
    const { record, promptStream, body } = step.rebuilt;
    const { sequence, materials } = promptStream;
    const { capabilities } = materials;
    requests.push({
      prepared: { record, sequence, capabilities, body: Uint8Array.from(body()) },
      billed: usages.get(record.position),
    });
  }
  return requests;
}
