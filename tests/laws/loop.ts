// A small turn loop over `prepareRequest`, `recordAnswer` and `recordInterrupted`. Unlike an agent it does nothing on
// its own, so a story can bring a session into every state that valid events lead to. `loop-perform.ts` performs the
// commands.

import type { Lasting, Prepared, PromptStreams, Session } from '@tidemark/agent';
import {
  commit,
  createSession,
  keepCapabilities,
  openSession,
  prepareRequest,
  recordAnswer,
  recordInterrupted,
} from '@tidemark/agent';
import { itemAt } from '@tidemark/context';
import type { Event, EventData, Kind, Log, Recorded, Timestamp } from '@tidemark/log';
import { sessionId, timestamp } from '@tidemark/log';
import type { Answer } from '@tidemark/model';
import type { SimulatedUsage } from '@tidemark/simulator';
import type { AnswerSpec, Counters } from './content.ts';
import { blocksOf, contentOf, IMAGES, newCounters } from './content.ts';
import type { LoopStory, Outcome, SideSpec } from './loop-commands.ts';
import type { Place } from './place.ts';
import type { Saying, Served, Server } from './server.ts';
import { isAnswered } from './server.ts';
import type { Settings } from './settings.ts';
import { capabilitiesOf, FIRST_SETTINGS, frontOf, parametersOf } from './settings.ts';

/** A request that was sent, and its response. */
export interface SentCall {
  readonly prepared: Prepared;
  /** Time by the provider's clock, in milliseconds. */
  readonly at: number;
  readonly served: Served;
  readonly billed: SimulatedUsage | undefined;
  readonly outcome: Outcome;
}

/** State of a session while the commands of a story are performed. */
export interface Loop {
  readonly place: Place;
  readonly server: Server;
  readonly ttl: Lasting;
  readonly counters: Counters;
  /** All calls to the model, including those in sessions that were continued in a fork. */
  readonly sent: SentCall[];
  /** Calls whose request is in the log of the current session, ancestors and side calls included. */
  calls: SentCall[];
  /** Side calls whose answer is not recorded yet. */
  readonly late: SentCall[];
  log: Log;
  session: Session;
  promptStreams: PromptStreams;
  settings: Settings;
  /** The provider's clock, in milliseconds. */
  now: number;
  /** Offset of the session's clock from the provider's clock, in milliseconds. */
  skew: number;
  /** Positions at which no tool call and no answer was open. */
  closed: number[];
  forks: number;
}

const BEGIN = Date.parse('2026-11-20T09:00:00.000Z');

/** Creates a session in the store of `place`. */
export async function beginLoop(
  place: Place,
  server: Server,
  { ttl, model }: Pick<LoopStory, 'ttl' | 'model'>,
  name = 's0',
): Promise<Loop> {
  const log = place.open();
  const id = sessionId(name);
  const session = await createSession(log, id);
  const loop: Loop = {
    place,
    server,
    ttl,
    counters: newCounters(),
    sent: [],
    calls: [],
    late: [],
    log,
    session,
    promptStreams: { main: undefined },
    settings: { ...FIRST_SETTINGS, model },
    now: BEGIN,
    skew: 0,
    closed: [],
    forks: 0,
  };
  for (const image of IMAGES) await log.artifacts.put(image.bytes);
  await put(loop, { kind: 'session.created', data: { id, root: id, workspace: '/work' } });
  return loop;
}

/** Opens the session in another place, as another process does, runs the work, and closes the session. */
export async function continueIn<T>(loop: Loop, place: Place, work: (again: Loop) => Promise<T>): Promise<T> {
  const log = place.open();
  const again: Loop = {
    ...loop,
    place,
    log,
    session: await openSession(log, loop.session.writer.session),
    promptStreams: { main: undefined },
    calls: [],
    late: [],
    sent: [],
    closed: [],
    now: loop.now + 60_000,
  };
  try {
    return await work(again);
  } finally {
    // Both loops use the same server, whose clock must never go back.
    loop.now = again.now;
    await again.session.writer.close();
  }
}

/** Returns the time by the session's clock. */
export function clock({ now, skew }: Pick<Loop, 'now' | 'skew'>): Timestamp {
  return timestamp(new Date(now + skew).toISOString());
}

/** Commits one event with the current time of the session's clock. */
export async function put(
  loop: Loop,
  fact: { [K in Kind]: { readonly kind: K; readonly data: EventData[K] } }[Kind],
): Promise<void> {
  await append(loop, { ...fact, at: clock(loop) });
}

/** Commits one event. */
export async function append(loop: Loop, event: Event): Promise<void> {
  noteClosed(loop, await commit(loop.session, [event]));
}

/** Advances the clock by 5 ms. Adds the last position to `closed` if no tool call and no answer is open. */
function noteClosed(loop: Loop, records: readonly Recorded[]): void {
  loop.now += 5;
  const last = records.at(-1);
  const { batch, inFlight } = loop.session.state.history;
  if (last !== undefined && batch === undefined && !inFlight) loop.closed.push(last.position);
}

/** Prepares a request with the current settings. */
export async function prepareWith(
  { session, promptStreams, server, settings, log, ttl, ...loop }: Loop,
  beside?: Parameters<typeof prepareRequest>[2]['beside'],
): Promise<Prepared> {
  const capabilities = capabilitiesOf(server.provider, settings.model);
  return prepareRequest(session, promptStreams, {
    at: clock(loop),
    wanted: {
      provider: capabilities.provider,
      model: capabilities.model,
      parameters: parametersOf(server.provider, settings),
      capabilities: await keepCapabilities(log.artifacts, capabilities),
      texts: frontOf(settings, session.state.length % 2 === 1),
    },
    capabilities,
    encoder: server.encoder,
    outputLimit: 16_000,
    envelope: { metadata: { user_id: 'test' } },
    ttl,
    ...(beside === undefined ? {} : { beside, purpose: 'test' }),
  });
}

/** Sends a prepared request and returns the call with its response. The response is not recorded. */
export async function send(loop: Loop, prepared: Prepared, answer: AnswerSpec, outcome: Outcome): Promise<SentCall> {
  const at = loop.now;
  const { body, betas, sequence } = prepared;
  const saying = sayingOf(loop, answer, outcome);
  const fault = outcome === 'failed' ? ({ kind: 'overloaded' } as const) : undefined;
  const served = await loop.server.send({
    body,
    betas,
    at,
    block: (index) => itemAt(sequence.blocks, index),
    saying,
    fault,
  });
  loop.now += loop.server.callMs;
  const call: SentCall = { prepared, at, served, outcome, billed: isAnswered(served) ? served.billed : undefined };
  loop.sent.push(call);
  loop.calls.push(call);
  return call;
}

/**
 * Returns the answer that the server must give. Unless the outcome is `answered`, the answer contains at most its first
 * tool call.
 */
function sayingOf({ counters, session }: Loop, { said, calls }: AnswerSpec, outcome: Outcome): Saying {
  const whole = blocksOf(counters, { said, calls }, session.state.length);
  const blocks = outcome === 'answered' ? whole : whole.slice(0, said.length + 1);
  return { blocks, stop: calls.length > 0 ? 'tool_use' : 'end_turn' };
}

/** Records the end of a call, on the main stream or on a side stream. Records nothing for the outcome `lost`. */
export async function land(loop: Loop, { prepared, served, outcome }: SentCall): Promise<void> {
  const { step, stream } = prepared.record.data;
  if (!isAnswered(served) || outcome === 'failed') {
    return put(loop, {
      kind: 'answer.failed',
      data: { step, stream, class: 'retryable', code: 'provider/overloaded', message: 'Overloaded' },
    });
  }
  const { answer } = served;
  const record = outcome === 'lost' ? undefined : await recordEnd(loop, prepared, answer, outcome);
  noteClosed(loop, record === undefined ? [] : [record]);
}

function recordEnd(loop: Loop, prepared: Prepared, answer: Answer, outcome: Outcome): Promise<Recorded | undefined> {
  const { session } = loop;
  switch (outcome) {
    case 'stopped-by-user':
      return recordInterrupted(session, prepared, { by: 'user' }, answer, clock(loop));
    case 'cut-by-transport':
      return recordInterrupted(session, prepared, { by: 'transport' }, answer, clock(loop));
    case 'cut-unmeasured':
      return recordInterrupted(session, prepared, { by: 'transport' }, { ...answer, usage: {} }, clock(loop));
    default:
      return recordAnswer(session, prepared, answer, clock(loop));
  }
}

/** Makes a side call. With `late`, its answer is not recorded yet, but after the next command. */
export async function askBeside(loop: Loop, { words, history, answer, outcome, late }: SideSpec): Promise<void> {
  const name = loop.counters.nonce++;
  const extra = [{ type: 'text', text: `${name} beside it?` } as const, ...contentOf(loop.counters, words)];
  const prepared = await prepareWith(loop, { stream: `side/test-${name}`, extra, history });
  const call = await send(loop, prepared, answer, outcome);
  if (late) loop.late.push(call);
  else await land(loop, call);
}
