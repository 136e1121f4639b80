// Tests the feed with random sequences of appends, changes of the source, and readers that are fast, slow or gone.

import { setImmediate } from 'node:timers/promises';
import { createMemoryStore } from '@tidemark/kit';
import type { Event, LogWriter, Recorded } from '@tidemark/log';
import { appended, NOON, prompt, session, sessionWith } from '@tidemark/log/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createReadingLimits } from '../src/live/catch-up.ts';
import { createSessionFeed } from '../src/live/session-feed.ts';
import type { SentEvents, TestReader } from './feed-readers.ts';
import { createSentEvents, readFeed } from './feed-readers.ts';

type Move =
  | { readonly move: 'append' | 'end-turn'; readonly count: number; readonly late: boolean }
  | { readonly move: 'report' | 'text' | 'attach' | 'detach' | 'turn-loop' }
  | { readonly move: 'join'; readonly part: number }
  | { readonly move: 'stall' | 'resume' | 'abort'; readonly reader: number };

const aReader = fc.nat(9);
const aMove: fc.Arbitrary<Move> = fc.oneof(
  fc.record({
    move: fc.constantFrom('append' as const, 'end-turn'),
    count: fc.integer({ min: 1, max: 3 }),
    late: fc.boolean(),
  }),
  fc.record({
    move: fc.constantFrom(
      'report' as const,
      'text',
      'text',
      'text',
      'attach',
      'attach',
      'detach',
      'turn-loop',
      'turn-loop',
    ),
  }),
  fc.record({ move: fc.constant('join' as const), part: fc.double({ min: 0, max: 1, noNaN: true }) }),
  fc.record({ move: fc.constantFrom('stall' as const, 'resume', 'abort'), reader: aReader }),
);

const ENDED: Event = { kind: 'turn.ended', at: NOON, data: { outcome: 'completed' } };
const ID = session('any');

interface Played {
  readonly readers: TestReader[];
  readonly gone: Set<TestReader>;
  /** Text since the last end of a turn, while a session is attached. */
  text: string;
  sent: SentEvents | undefined;
  /** Records that the attached session has stored and not reported yet. */
  unsent: Recorded[];
  /** True if the attached session has reported a record. */
  reported: boolean;
}

async function play(moves: readonly Move[]): Promise<void> {
  const log = createMemoryStore();
  const writer = await sessionWith(log, ID, 3);
  const feed = createSessionFeed(log, ID, { limits: createReadingLimits() });
  const played: Played = { readers: [], gone: new Set(), text: '', sent: undefined, unsent: [], reported: false };
  const attach = (): void => {
    played.sent ??= createSentEvents();
    void feed.attach(played.sent, () => []);
    played.text = '';
    played.reported = false;
  };
  for (const move of moves) {
    if (move.move === 'append')
      await append(
        writer,
        Array.from({ length: move.count }, () => prompt('p')),
        played,
        move.late,
      );
    else if (move.move === 'end-turn') await append(writer, [ENDED], played, move.late);
    else if (move.move === 'text') {
      if (played.sent === undefined) continue;
      // A session records the request before the text of its answer arrives.
      if (!played.reported) await append(writer, [prompt('p')], played, false);
      report(played);
      played.text += `${played.text.length},`;
      played.sent.send({ type: 'text.delta', text: played.text.slice(played.text.slice(0, -1).lastIndexOf(',') + 1) });
    } else if (move.move === 'report') report(played);
    else if (move.move === 'attach' && played.sent === undefined) attach();
    else if (move.move === 'detach') {
      report(played);
      played.sent?.end();
      played.sent = undefined;
      await setImmediate();
    } else if (move.move === 'turn-loop') await setImmediate();
    else if (move.move === 'join') played.readers.push(readFeed(feed, Math.round(move.part * writer.length)));
    else if ('reader' in move) moveReader(played, move);
  }
  report(played);
  await checkAll(writer, played);
  feed.close();
  await Promise.all(played.readers.map(({ ended }) => ended));
  expect(feed.readers()).toBe(0);
}

/** Appends records. The attached session reports them at once, or later. */
async function append(writer: LogWriter, events: readonly Event[], played: Played, late: boolean): Promise<void> {
  const records = await appended(writer, events);
  if (played.sent === undefined) return;
  played.unsent.push(...records);
  if (events.includes(ENDED)) played.text = '';
  if (!late) report(played);
}

function report(played: Played): void {
  for (const record of played.unsent.splice(0)) {
    played.sent?.send({ type: 'recorded', record });
    played.reported = true;
  }
}

function moveReader(
  { readers, gone }: Played,
  { move, reader: index }: Extract<Move, { readonly reader: number }>,
): void {
  const reader = readers[index];
  if (reader === undefined) return;
  if (move === 'abort') {
    gone.add(reader);
    reader.abort();
  } else reader.stall(move === 'stall');
}

async function checkAll(writer: LogWriter, { readers, gone, text, sent }: Played): Promise<void> {
  for (const reader of readers) {
    reader.stall(false);
    if (!gone.has(reader)) {
      await reader.until(() => reader.from + reader.records.length >= writer.length && reader.states.length > 0);
      if (sent !== undefined) await reader.until(() => reader.text() === text);
    }
    expect(reader.records.map(({ position }) => position)).toEqual(
      reader.records.map((_one, index) => reader.from + index),
    );
    for (const { length, next } of reader.states) expect(length).toBe(next);
  }
}

test('each reader gets every record once and in order, and the text that is arriving, in any order of events', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(aMove, { minLength: 10, maxLength: 60, size: 'max' }), (moves) => play(moves)),
    { numRuns: 300 },
  );
}, 120_000);
