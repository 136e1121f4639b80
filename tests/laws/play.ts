// Two ways to play a story for the tests of the laws: with the turn loop of the tests (`loop.ts`), which does nothing
// on its own, or with an agent (`agent-session.ts`), which gets commands at any time. Both result in a `Played`, on
// which the same laws are checked.

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

/** Store and provider with which stories are played. */
export interface World {
  readonly store: StoreName;
  readonly provider: ProviderName;
}

/** A request with the data that the laws check. */
export interface JudgedRequest {
  readonly prepared: Pick<Prepared, 'body' | 'record' | 'sequence' | 'capabilities'>;
  /** Usage that the server counted. Undefined if the server counts none or if the call failed. */
  readonly billed: SimulatedUsage | undefined;
}

/** A story that was played to its end. Its session is closed. A check may copy its place but must not change it. */
export interface Played {
  readonly world: World;
  readonly place: Place;
  /** Store that was opened after the session was closed, as another process would open it. */
  readonly log: Log;
  readonly id: SessionId;
  readonly book: Book;
  /** Requests in the order of the log, including those of ancestors and those of side calls. */
  readonly requests: readonly JudgedRequest[];
  /** Digests of the bodies that arrived at the server, in order. */
  readonly arrived: readonly string[];
  /** True if the story crashed one of its processes. */
  readonly crashed: boolean;
  /** Verification of the log, with each request rebuilt from the one before it. */
  readonly verified: Verification;
}

/** A story that the turn loop played. `requests` contains the requests as they were sent. */
export interface LoopPlayed extends Played {
  readonly story: LoopStory;
  readonly loop: Loop;
}

/** A story that an agent played. `requests` contains the requests as they were rebuilt from the log. */
export interface AgentPlayed extends Played {
  readonly story: AgentStory;
  readonly stage: Stage;
}

/** Plays a story with the turn loop in a new place. Passes the result to `judge`, and removes the place. */
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
 * Plays a story with an agent in a new place. After the story, the agent answers one more prompt and is closed. Passes
 * the result to `judge`. Fails if a promise was rejected without a handler.
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

/**
 * Rebuilds the requests of an agent's session from its log, with the usage that the server billed for the answer to
 * each.
 */
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
