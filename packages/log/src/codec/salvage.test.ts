import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anEvent } from '../../contract/arbitrary-event.ts';
import { testBytes } from '../../contract/raw-lines.ts';
import { created, prompts, session } from '../../contract/samples.ts';
import type { Event } from '../event.ts';
import { CHAIN_START, position } from '../ids.ts';
import { encodeRecords } from './encode-records.ts';
import { salvageBeginning } from './read-beginning.ts';
import { createRecordReader } from './read-records.ts';
import type { Salvaged } from './salvage.ts';
import { createSalvager } from './salvage.ts';
import { createLineSplitter } from './split-lines.ts';
import { EMPTY_TIP } from './tip.ts';

const ID = session('a');
const NUL = String.fromCharCode(0);
const line = (text: string): Buffer => Buffer.from(`${text}\n`);

function logOf(events: readonly Event[]): Buffer {
  return Buffer.from(encodeRecords(events, EMPTY_TIP, 1, testBytes).lines);
}

function salvage(log: Uint8Array): readonly Salvaged[] {
  const splitter = createLineSplitter(0, 1);
  const salvager = createSalvager(EMPTY_TIP, testBytes);
  const all: Salvaged[] = [];
  for (const raw of splitter.split(log)) all.push(...salvager.take(raw));
  return [...all, ...salvager.end(splitter.tail())];
}

/** Returns the recovered lines, and `lost <from>+<count>` for each range of lost records. */
function salvagedLines(log: Uint8Array): readonly string[] {
  return salvage(log).map((one) =>
    one.type === 'lost' ? `lost ${one.from}+${one.count}` : Buffer.from(one.line).toString(),
  );
}

function faultOf(log: Uint8Array): unknown {
  const start = { path: 'log', tip: EMPTY_TIP, offset: 0, line: 1, from: 0, to: Infinity, verifyChain: true };
  const reader = createRecordReader(start, testBytes);
  return (reader.read(log).failure ?? reader.end())?.data;
}

function changed(log: Buffer, at: number, mask: number): Buffer {
  const other = Buffer.from(log);
  other[at] = (other[at] ?? 0) ^ mask;
  return other;
}

const whole = logOf([created(ID), ...prompts(3)]);
const lines = whole.toString().trimEnd().split('\n');

describe('one changed byte', () => {
  it('is detected at every offset, and every record is recovered for each tested new value', () => {
    const unfound: number[] = [];
    const unsaved: number[] = [];
    for (let at = 0; at < whole.length; at += 1) {
      const toNewline = (whole[at] ?? 0) ^ 0x0a;
      for (const mask of [0x01, 0x0a, 0x20, 0x80, 0xff, toNewline].filter((one) => one !== 0)) {
        const damaged = changed(whole, at, mask);
        if (faultOf(damaged) === undefined) unfound.push(at);
        if (salvagedLines(damaged).join('\n') !== lines.join('\n')) unsaved.push(at);
      }
    }
    expect({ unfound, unsaved }).toEqual({ unfound: [], unsaved: [] });
  });

  it('anywhere in any log is detected, and no record is lost', () => {
    const tail = fc.array(anEvent, { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(tail, fc.nat(), fc.integer({ min: 1, max: 255 }), (events, place, mask) => {
        const log = logOf([created(ID), ...events.filter(({ kind }) => kind !== 'session.created')]);
        const damaged = changed(log, place % log.length, mask);
        expect(faultOf(damaged)).toMatchObject({ path: 'log' });
        expect(salvagedLines(damaged)).toEqual(log.toString().trimEnd().split('\n'));
      }),
      { numRuns: 200 },
    );
  });

  it("in the first record does not prevent the recovery of the session's beginning, also in a fork", () => {
    const parent = { session: session('p'), position: position(4), chain: CHAIN_START };
    const fork = encodeRecords([created(ID, { parent })], { ...EMPTY_TIP, length: 5 }, 1, testBytes).lines;
    for (const log of [Buffer.from(fork), whole]) {
      for (let at = 0; at <= log.indexOf(0x0a); at += 1) {
        const beginning = salvageBeginning(ID, changed(log, at, 0x02), testBytes);
        expect([at, beginning?.record.data.workspace]).toEqual([at, '/work']);
      }
    }
    expect(salvageBeginning(ID, Buffer.alloc(100), testBytes)).toBeUndefined();
    expect(salvageBeginning(session('b'), whole, testBytes)).toBeUndefined();
  });
});

describe('larger damage', () => {
  const [first = '', second = '', third = '', fourth = ''] = lines;
  it.each([
    ['null bytes between two records', [first, NUL.repeat(200), second, third, fourth], lines],
    ['null bytes in front of a record', [first, `${NUL.repeat(200)}${second}`, third, fourth], lines],
    ['an incomplete record joined to the next one', [first, `${second.slice(0, 40)}${second}`, third, fourth], lines],
    ['two joined records', [first, `${second}${third}`, fourth], lines],
    ['a repeated record', [first, second, second, third, fourth], lines],
    [
      'two adjacent damaged records',
      [first, second.replace('text', 'tekt'), third.replace('prompt', 'prompd'), fourth],
      lines,
    ],
    [
      'a record replaced by null bytes',
      [first, NUL.repeat(second.length), third, fourth],
      [first, 'lost 1+1', third, fourth],
    ],
    ['two missing records', [first, fourth], [first, 'lost 1+2', fourth]],
    ['garbage at the end', [first, second, 'garbage'], [first, second]],
  ])('with %s loses only the records that the damage covers', (_what, damaged, saved) => {
    expect(salvagedLines(Buffer.concat(damaged.map(line)))).toEqual(saved);
  });

  it('to one record with a valid checksum but a wrong chain loses only that record', () => {
    const tip = { length: 2, chain: CHAIN_START, fence: 1 };
    const forged = Buffer.from(encodeRecords(prompts(1, 9), tip, 1, testBytes).lines);
    expect(salvagedLines(Buffer.concat([line(first), line(second), forged, line(fourth)]))).toEqual([
      first,
      second,
      'lost 2+1',
      fourth,
    ]);
  });

  it('in a torn last line loses no record, because that record was never committed', () => {
    for (let length = 0; length < fourth.length; length += 1) {
      const torn = Buffer.concat([line(first), line(second), line(third), Buffer.from(fourth.slice(0, length))]);
      expect([length, faultOf(torn)]).toEqual([length, undefined]);
      expect([length, salvagedLines(torn)]).toEqual([length, [first, second, third]]);
    }
  });
});
