// Cut logs and random logs (L8): a log that ends at any byte opens, continues, and its next request is accepted.

import { commit, createSession, verifySession } from '@tidemark/agent';
import type { AnswerPart, CallId, ContentPart, Event } from '@tidemark/log';
import { callId, sessionId } from '@tidemark/log';
import { EVENTS } from '@tidemark/log/contract';
import fc from 'fast-check';
import { expect } from 'vitest';
import { expectSame, readBook } from './book.ts';
import { IMAGES } from './content.ts';
import { perform } from './loop-perform.ts';
import type { Loop } from './loop.ts';
import { beginLoop, continueIn } from './loop.ts';
import type { LoopPlayed, World } from './play.ts';
import type { Place } from './place.ts';
import { newPlace, within } from './place.ts';
import { encoders, isAnswered, newServer } from './server.ts';

/** Returns the responses to requests that the server refused although their planned outcome was not `failed`. */
export function refusals({ loop }: LoopPlayed): readonly unknown[] {
  return loop.sent
    .filter(({ served, outcome }) => !isAnswered(served) && outcome !== 'failed')
    .map(({ served }) => served);
}

/** Cuts the log at several bytes. Expects each cut log to contain its complete lines, to open, and to continue. */
export async function expectCutLogsContinue({ loop, place, id, book }: LoopPlayed): Promise<void> {
  const bytes = place.bytesOf(id);
  const all = linesIn(bytes);
  for (const end of cutsOf(bytes)) {
    const kept = bytes.subarray(0, end);
    await within(place.copyWith(id, kept), async (copy) => {
      const { entries } = await readBook(copy.open(), id);
      expectSame(entries, book.entries.slice(0, book.entries.length - all + linesIn(kept)));
      await expectContinues(loop, copy);
    });
  }
}

/**
 * Removes the last 9 bytes of the log, so that its last line is incomplete. Expects that two processes can continue it one
 * after the other, and that the log then contains each position once.
 */
export async function expectTornTailIsCut({ loop, place, id }: LoopPlayed): Promise<void> {
  const bytes = place.bytesOf(id);
  const torn = bytes.subarray(0, Math.max(endOfLine(bytes, 0), bytes.length - 9));
  await within(place.copyWith(id, torn), async (copy) => {
    await expectContinues(loop, copy);
    await expectContinues(loop, copy);
    const { records } = await readBook(copy.open(), id);
    expect(records.map(({ position }) => position)).toEqual(records.map((_, index) => index));
  });
}

/**
 * Returns the offsets at which the log is cut. They include its end and are spread over the log, most of them inside a
 * line. The first record always remains.
 */
function cutsOf(bytes: Uint8Array): readonly number[] {
  const first = endOfLine(bytes, 0);
  const places = [0, 0.13, 0.31, 0.52, 0.77, 0.96, 1].map((share) =>
    Math.round(first + (bytes.length - first) * share),
  );
  return [...new Set([...places, ...places.slice(1, 4).map((place) => endOfLine(bytes, place))])];
}

function endOfLine(bytes: Uint8Array, from: number): number {
  const end = bytes.indexOf(0x0a, from);
  return end === -1 ? bytes.length : end + 1;
}

function linesIn(bytes: Uint8Array): number {
  return bytes.reduce((lines, byte) => (byte === 0x0a ? lines + 1 : lines), 0);
}

async function expectContinues(loop: Loop, place: Place): Promise<void> {
  await continueIn(loop, place, expectAccepted);
  const { differences, breaks } = await verifySession(place.open(), loop.session.writer.session, { encoders });
  expect({ differences, breaks: breaks.filter(({ cause }) => cause === undefined) }).toEqual({
    differences: [],
    breaks: [],
  });
}

async function expectAccepted(loop: Loop): Promise<void> {
  const answer = { said: [{ kind: 'text', text: { kind: 'words', size: 40 } }], calls: [] } as const;
  await perform(loop, { do: 'ask', answer, outcome: 'answered', during: [] });
  expect(loop.calls.at(-1)?.served).toMatchObject({ status: 200 });
}

/** Expects that a session can continue if its log contains only the first record. */
export async function expectEmptySessionContinues(world: World): Promise<void> {
  await within(newPlace(world.store), async (place) => {
    const session = await createSession(place.open(), sessionId('s0'));
    await session.writer.close();
    const loop = await beginLoop(place, newServer(world.provider), { model: 0, ttl: '5m' });
    await perform(loop, { do: 'restart' });
    await expectAccepted(loop);
    await loop.session.writer.close();
  });
}

const anyEvent = fc.oneof(...Object.values(EVENTS).filter((one) => one !== EVENTS['session.created']));

/** Valid events in random order. */
export interface RandomLog {
  readonly commands: readonly Event[];
}

/** A random log of up to 40 events. */
export const randomLog: fc.Arbitrary<RandomLog> = fc
  .array(anyEvent, { maxLength: 40, size: 'max' })
  .map((commands) => ({ commands }));

/** Commits random events, restarts, and expects the server to accept the next request. */
export async function expectRandomLogContinues(world: World, events: readonly Event[]): Promise<void> {
  await within(newPlace(world.store), async (place) => {
    const server = newServer(world.provider, { recorded: true });
    const loop = await beginLoop(place, server, { model: events.length, ttl: '5m' });
    try {
      await commit(loop.session, events.map(concentrated));
      await perform(loop, { do: 'restart' });
      await expectAccepted(loop);
    } finally {
      await loop.session.writer.close();
    }
  });
}

/**
 * Returns the event with a changed reference: the main stream, one of four call ids, and images whose bytes exist. As a
 * result, many of the random events refer to the same stream, calls and images.
 */
function concentrated(event: Event): Event {
  switch (event.kind) {
    case 'prompt.given':
      return { ...event, data: { ...event.data, parts: event.data.parts.map(withKnownImage) } };
    case 'request.prepared':
      return { ...event, data: { ...event.data, stream: 'main' } };
    case 'answer.failed':
      return { ...event, data: { ...event.data, stream: 'main' } };
    case 'answer.received':
      return { ...event, data: { ...event.data, stream: 'main', parts: event.data.parts.map(withFewIds) } };
    case 'answer.interrupted':
      return { ...event, data: { ...event.data, stream: 'main', parts: event.data.parts.map(withFewIds) } };
    case 'tool.returned': {
      const { data } = event;
      return { ...event, data: { ...data, call: oneOfFew(data.call), parts: data.parts.map(withKnownImage) } };
    }
    case 'tool.failed': {
      const { data } = event;
      return { ...event, data: { ...data, call: oneOfFew(data.call), parts: data.parts.map(withKnownImage) } };
    }
    case 'tool.abandoned':
      return { ...event, data: { ...event.data, call: oneOfFew(event.data.call) } };
    default:
      return event;
  }
}

function withKnownImage(part: ContentPart): ContentPart {
  return part.type === 'image' ? (IMAGES[part.bytes % IMAGES.length]?.part ?? part) : part;
}

function withFewIds(part: AnswerPart<CallId>): AnswerPart<CallId> {
  return part.type === 'call' ? { ...part, call: oneOfFew(part.call) } : part;
}

/**
 * Returns one of four ids, chosen by the length of the given id. Wires replace the last two because of their
 * characters.
 */
function oneOfFew(call: CallId): CallId {
  return callId(['a', 'b', 'c|d', 'ü'][call.length % 4] ?? 'a');
}
