// L8, the store's side: every prefix of a valid log is a valid log, wherever it was cut, and the next request is valid.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commit, createSession, openSession, verifySession } from '@tidemark/agent';
import { EVENTS } from '@tidemark/log/contract';
import type { Event } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import { readBook } from './book.ts';
import type { Driver } from './driver.ts';
import { begin } from './driver.ts';
import { perform } from './perform.ts';
import { ask } from './turn.ts';
import { tamed } from './tamed.ts';
import type { Place } from './place.ts';
import { newPlace, within } from './place.ts';
import { encoders, isAnswered, newServer } from './server.ts';
import { PATIENCE, stories, tryStories, WORLDS } from './try-stories.ts';

const SHORT = { said: [{ kind: 'text', text: { kind: 'words', size: 40 } }], calls: [] } as const;

describe.each(WORLDS)('L8 on $store against $provider', (world) => {
  it('L8: no request is refused, whatever came before it', async () => {
    await tryStories({ world, runs: 10 }, async ({ sent }) => {
      expect(
        sent.filter(({ served, outcome }) => !isAnswered(served) && outcome !== 'failed').map(({ served }) => served),
      ).toEqual([]);
    });
  });

  it('L8: cut at any byte, a log is what it held whole by then; it opens, goes on, and its next request is accepted', async () => {
    await tryStories({ world, runs: 4, length: 24 }, async (driver) => {
      const id = driver.session.writer.session;
      const bytes = driver.place.bytesOf(id);
      const whole = await readBook(driver.log, id);
      for (const end of cuts(bytes)) {
        await within(driver.place.copyWith(id, bytes.subarray(0, end)), async (place) => {
          const lines = linesIn(bytes.subarray(0, end)) - linesIn(bytes);
          const kept = await goOn(driver, place);
          expect(kept).toEqual(whole.slice(0, lines === 0 ? undefined : lines));
        });
      }
    });
  });

  it('L8: what a torn tail held is neither doubled nor glued to the next record', async () => {
    await tryStories({ world, runs: 4, length: 12 }, async (driver) => {
      const id = driver.session.writer.session;
      const bytes = driver.place.bytesOf(id);
      const torn = bytes.subarray(0, Math.max(endOfLine(bytes, 0), bytes.length - 9));
      await within(driver.place.copyWith(id, torn), async (place) => {
        await goOn(driver, place);
        await goOn(driver, place);
        const book = await readBook(place.open(), id);
        expect(book.map(({ record }) => record.position)).toEqual(book.map((_, index) => index));
      });
    });
  });
});

describe.each(WORLDS)('L8 with random logs, on $store against $provider', (world) => {
  const anyEvent = fc.oneof(...Object.values(EVENTS).filter((one) => one !== EVENTS['session.created']));

  it('L8: no sequence of valid events poisons a session: it settles, and its next request is accepted', async () => {
    const log: fc.Arbitrary<readonly Event[]> = fc.array(anyEvent, { maxLength: 40, size: 'max' });
    await fc.assert(
      fc.asyncProperty(log, (events) => within(newPlace(world.store), (place) => acceptsAfter(place, world, events))),
      { numRuns: stories(world, 15), interruptAfterTimeLimit: PATIENCE },
    );
  });
});

async function acceptsAfter(place: Place, world: (typeof WORLDS)[number], events: readonly Event[]): Promise<void> {
  const driver = await begin(place, newServer(world.provider, { recorded: true }), { model: events.length, ttl: '5m' });
  try {
    await commit(driver.session, events.map(tamed));
    await perform(driver, { do: 'restart' });
    await ask(driver, SHORT, 'answered', []);
    expect(driver.calls.at(-1)?.served).toMatchObject({ status: 200 });
  } finally {
    await driver.session.writer.close();
  }
}

/** A few bytes all over the log, each in some line, and the end. The first record stays: without it there is no session. */
function cuts(bytes: Uint8Array): readonly number[] {
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

/** Opens a copy as another process would, asks once more, and gives back what the copy held when it was opened. */
async function goOn(driver: Driver, place: Place): Promise<unknown> {
  const id = driver.session.writer.session;
  const kept = await readBook(place.open(), id);
  const log = place.open();
  const session = await openSession(log, id);
  const again: Driver = {
    ...driver,
    place,
    log,
    session,
    promptStreams: { main: undefined },
    calls: [],
    late: [],
    sent: [],
    closed: [],
    now: driver.now + 60_000,
  };
  try {
    await ask(again, SHORT, 'answered', []);
    expect(again.calls.at(-1)?.served).toMatchObject({ status: 200 });
    driver.now = again.now;
    driver.nonce = again.nonce;
  } finally {
    await session.writer.close();
  }
  const { differences, breaks } = await verifySession(place.open(), id, { encoders });
  expect({ differences, breaks: breaks.filter(({ cause }) => cause === undefined) }).toEqual({
    differences: [],
    breaks: [],
  });
  return kept;
}

describe.each(WORLDS)('L8 on $store against $provider, before anything was said', (world) => {
  it('L8: a session that holds its beginning alone can be opened and go on', async () => {
    await within(newPlace(world.store), async (place) => {
      const id = sessionId('s0');
      const session = await createSession(place.open(), id);
      await session.writer.close();
      const driver = await begin(place, newServer(world.provider), { model: 0, ttl: '5m' });
      await perform(driver, { do: 'restart' });
      await ask(driver, SHORT, 'answered', []);
      expect(driver.calls.at(-1)?.served).toMatchObject({ status: 200 });
      await driver.session.writer.close();
    });
  });
});
