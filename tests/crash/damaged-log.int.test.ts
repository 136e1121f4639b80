// Damaged logs: cuts off the log of a finished session at any byte, changes any byte, or removes any record. The damage
// is found and reported, all other records are recovered into a new session, the old log stays untouched, and the new
// session can continue. By default only some places are tried, and `npm run torture` tries all.

import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { verifySession } from '@tidemark/agent';
import { canonicalJson, sessionId } from '@tidemark/log';
import type { Recorded, SessionId } from '@tidemark/log';
import { anthropicEncoder } from '@tidemark/provider-anthropic';
import { inspectSession, openNdjsonStore, repairSession } from '@tidemark/store-ndjson';
import { describe, expect, it } from 'vitest';
import { byStep, expectAnswered, onNew, play, playedWhole, quick } from '../laws/played-agent.ts';
import { within } from '../laws/place.ts';
import type { Place } from '../laws/place.ts';
import { PATIENCE, WHOLE, tally } from './tally.ts';

const MENDED = sessionId('mended');

/** A closed session after a turn of five calls, with its log. */
interface Played {
  readonly place: Place;
  readonly home: string;
  readonly id: SessionId;
  readonly log: string;
  readonly bytes: Buffer;
  readonly records: readonly Recorded[];
}

function onPlayed(act: (played: Played) => Promise<void>): Promise<void> {
  return onNew('ndjson', async (place) => {
    const { id, records } = await playedWhole(place);
    const home = place.home ?? '';
    const log = join(home, 'sessions', id, 'log.ndjson');
    await act({ place, home, id, log, bytes: await readFile(log), records });
  });
}

/**
 * Returns the kind, data and position of each event as text. The first event, `session.created`, is reduced to its
 * kind, because a repaired session has its own id in the event's data.
 */
function eventTexts(records: readonly Recorded[]): readonly string[] {
  return records.map(({ kind, data, position }) =>
    kind === 'session.created' ? kind : canonicalJson({ kind, data, position }).text,
  );
}

async function readAll(home: string, id: SessionId): Promise<readonly Recorded[]> {
  const all: Recorded[] = [];
  for await (const record of openNdjsonStore({ home }).read(id)) all.push(record);
  return all;
}

interface Line {
  readonly start: number;
  /** Offset after the newline. */
  readonly end: number;
}

function linesOf(bytes: Buffer): readonly Line[] {
  const ends = [...bytes].flatMap((byte, at) => (byte === 0x0a ? [at + 1] : []));
  return ends.map((end, index) => ({ start: ends[index - 1] ?? 0, end }));
}

describe('a torn write', () => {
  it('at any byte of a log keeps every record before it, and the next append is sound (L8)', PATIENCE, () =>
    onPlayed(async ({ home, id, log, bytes, records }) => {
      const ends = linesOf(bytes).map(({ end }) => end);
      const original = eventTexts(records);
      let torn = 0;
      for (let length = ends[0] ?? 0; length <= bytes.length; length += WHOLE ? 1 : 211) {
        await writeFile(log, bytes.subarray(0, length));
        const sound = ends.filter((end) => end <= length).length;
        const writer = await openNdjsonStore({ home }).open(id);
        const next = records[1];
        if (next === undefined || next.kind === 'unknown') throw new Error('a session of one record');
        expect([length, writer.length]).toEqual([length, sound]);
        await writer.append([{ kind: 'turn.started', at: next.at, data: { trigger: 'user' } }], sound);
        await writer.close();
        const { records: found, damage } = await inspectSession({ home }, id);
        expect([length, found, damage]).toEqual([length, sound + 1, undefined]);
        expect(eventTexts(await readAll(home, id)).slice(0, sound)).toEqual(original.slice(0, sound));
        torn += 1;
      }
      tally('torn writes', { 'bytes to be torn at': torn, 'acknowledged lost': 0, 'records doubled': 0 });
    }),
  );
});

/**
 * Returns the offsets at which a byte of the line is changed: all offsets with `WHOLE`, otherwise every 211th and the
 * last two.
 */
function placesIn({ start, end }: Line): readonly number[] {
  const all = Array.from({ length: end - start }, (_, index) => start + index);
  return WHOLE ? all : all.filter((at) => (at - start) % 211 === 97 || at >= end - 2);
}

/**
 * Returns the values to try instead of a byte. The first value flips the lowest bit, the highest bit or all bits,
 * depending on the offset. The second value is a newline, or a space if the byte is a newline. Without `WHOLE`, returns
 * the first value at an even offset and the second at an odd one.
 */
function changesOf(byte: number, at: number): readonly number[] {
  const bits = byte ^ ([0x01, 0x80, 0xff][at % 3] ?? 0);
  const newline = byte === 0x0a ? 0x20 : 0x0a;
  return WHOLE ? [bits, newline] : [at % 2 === 0 ? bits : newline];
}

describe('one changed byte', () => {
  it('anywhere in a log is reported with path, line and offset, and loses no event', PATIENCE, () =>
    onPlayed(async ({ home, id, log, bytes, records }) => {
      const original = eventTexts(records);
      let tried = 0;
      for (const [index, line] of linesOf(bytes).entries()) {
        for (const at of placesIn(line)) {
          for (const byte of changesOf(bytes[at] ?? 0, at)) {
            const changed = Buffer.from(bytes).fill(byte, at, at + 1);
            await writeFile(log, changed);
            const { damage } = await inspectSession({ home }, id);
            const place = { path: log, line: index + 1, offset: line.start, phase: expect.any(String) };
            expect([at, byte, damage]).toEqual([at, byte, expect.objectContaining(place)]);
            const repair = await repairSession({ home }, id, MENDED);
            expect([at, byte, repair.lost]).toEqual([at, byte, []]);
            expect(eventTexts(await readAll(home, MENDED))).toEqual(original);
            expect((await readFile(log)).equals(changed)).toBe(true);
            await rm(join(home, 'sessions', MENDED), { recursive: true });
            tried += 1;
          }
        }
      }
      const kinds = new Set(records.map(({ kind }) => kind)).size;
      const counts = { records: records.length, 'kinds of record': kinds, 'changes tried': tried };
      tally('changed bytes', { ...counts, 'not found': 0, 'events lost': 0, 'old logs touched': 0 });
    }),
  );

  it('loses no request either: all requests are rebuilt from the repaired session (L2)', () =>
    onPlayed(async ({ home, id, log, bytes }) => {
      const at = Math.floor(bytes.length / 3);
      await writeFile(log, Buffer.from(bytes).fill((bytes[at] ?? 0) ^ 0x04, at, at + 1));
      await repairSession({ home }, id, MENDED);
      const verified = await verifySession(openNdjsonStore({ home }), MENDED, { encoders: () => anthropicEncoder });
      expect(verified).toMatchObject({ requests: 3, differences: [], breaks: [], problems: [] });
    }));
});

describe('a missing record', () => {
  it(
    'is reported at its position, all other records are recovered, and the repaired session answers the user',
    PATIENCE,
    () =>
      onPlayed(async ({ place, id, bytes, records }) => {
        const lines = linesOf(bytes);
        const original = eventTexts(records);
        let gone = 0;
        for (let number = 2; number <= lines.length; number += WHOLE ? 1 : 4) {
          const { start, end } = lines[number - 1] ?? { start: 0, end: 0 };
          await within(place.copyWith(id, Buffer.from(bytes).fill(0, start, end - 1)), async (copy) => {
            const home = copy.home ?? '';
            const { lost } = await repairSession({ home }, id, MENDED);
            const found = eventTexts(await readAll(home, MENDED));
            const isLast = number === lines.length;
            expect(lost.map(({ from, count }) => [from, count])).toEqual(isLast ? [] : [[number - 1, 1]]);
            expect(found.filter((_, at) => at !== number - 1)).toEqual(original.filter((_, at) => at !== number - 1));
            await play({ place: copy, id: MENDED, tools: quick, answer: byStep }, ({ live }) => expectAnswered(live));
          });
          gone += 1;
        }
        tally('records gone', { tried: gone, 'other events lost': 0, 'invalid requests': 0 });
      }),
  );
});
