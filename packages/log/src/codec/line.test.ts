import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anEvent } from '../../contract/arbitrary-event.ts';
import { splitLines, testBytes } from '../../contract/raw-lines.ts';
import { created, flipped, prompt, prompts, session } from '../../contract/samples.ts';
import { CHAIN_START } from '../ids.ts';
import { encodeRecords } from './encode-records.ts';
import { chainBehind, chainIn, checkLine, headOf } from './line.ts';
import { createRecordReader } from './read-records.ts';
import { EMPTY_TIP } from './tip.ts';

const lineOf = (text: string): Uint8Array => Buffer.from(text);

describe('the line of a record', () => {
  it('has exactly these bytes, which must never change', () => {
    const { lines, tip } = encodeRecords(
      [created(session('a')), prompt('hello "you" \u2028 ä')],
      EMPTY_TIP,
      1,
      testBytes,
    );
    expect(Buffer.from(lines).toString()).toBe(
      '{"v":1,"position":0,"at":"2026-11-20T12:00:00.000Z","fence":1,"kind":"session.created","data":{"id":"a","root":"a","workspace":"/work"},"chain":"9b78b9b96b409d0c","sum":"ab4226fa"}\n' +
        '{"v":1,"position":1,"at":"2026-11-20T12:00:00.000Z","fence":1,"kind":"prompt.given","data":{"parts":[{"text":"hello \\"you\\" \u2028 ä","type":"text"}],"presenter":"test"},"chain":"35da0a626f2a78a4","sum":"fe0df12e"}\n',
    );
    expect(tip).toEqual({ length: 2, chain: '35da0a626f2a78a4', fence: 1 });
  });

  it('does not depend on the key order of the payload', () => {
    const one = prompt('x');
    const other = { ...one, data: { presenter: one.data.presenter, parts: [{ text: 'x', type: 'text' as const }] } };
    const written = [one, other].map((event) => encodeRecords([event], EMPTY_TIP, 1, testBytes).lines);
    expect(Buffer.from(written[0] ?? '').equals(Buffer.from(written[1] ?? 'x'))).toBe(true);
  });

  it('yields its position, fence, chain and head from the raw bytes', () => {
    const { lines } = encodeRecords(prompts(1), { length: 41, chain: CHAIN_START, fence: 6 }, 7, testBytes);
    const line = lines.subarray(0, -1);
    const sound = checkLine(line, testBytes);
    if (typeof sound === 'string') throw new Error(sound);
    expect(sound).toMatchObject({ v: 1, position: 41, fence: 7 });
    const head = headOf(line, sound);
    expect(Buffer.from(head).toString().endsWith('"presenter":"test"}')).toBe(true);
    expect(chainIn(line, sound, testBytes)).toBe(chainBehind(CHAIN_START, head, testBytes));
  });

  it('is refused when it is cut, extended, or changed in any bit', () => {
    const { lines } = encodeRecords(prompts(1), EMPTY_TIP, 1, testBytes);
    const line = lines.subarray(0, -1);
    for (let at = 0; at < line.length; at += 1) {
      expect(typeof checkLine(flipped(line, at), testBytes)).toBe('string');
      expect(typeof checkLine(line.subarray(0, at), testBytes)).toBe('string');
      expect(typeof checkLine(line.subarray(at + 1), testBytes)).toBe('string');
    }
    for (const text of ['', '{}', '{"v":1}', 'x'.repeat(45), 'null'])
      expect(checkLine(lineOf(text), testBytes)).toBe('frame');
  });
});

describe('reading records', () => {
  it('gives the same records for any split into chunks, and does not keep references to a chunk', () => {
    fc.assert(
      fc.property(
        fc.array(anEvent, { minLength: 1, maxLength: 6 }),
        fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1 }),
        (events, sizes) => {
          const { lines, records, tip } = encodeRecords(events, EMPTY_TIP, 1, testBytes);
          const reader = createRecordReader(
            { path: 'p', tip: EMPTY_TIP, offset: 0, line: 1, from: 0, to: Infinity, verifyChain: true },
            testBytes,
          );
          const shared = Buffer.alloc(300);
          const read = [];
          for (let at = 0, turn = 0; at < lines.length; turn += 1) {
            const size = Math.min(sizes[turn % sizes.length] ?? 1, lines.length - at);
            shared.set(lines.subarray(at, at + size));
            read.push(...reader.read(shared.subarray(0, size)).records);
            at += size;
          }
          expect(read).toEqual(records);
          expect([reader.tip, reader.offset, reader.pending]).toEqual([tip, lines.length, 0]);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('refuses a record whose fence is lower than that of the record before it', () => {
    const first = encodeRecords(prompts(1), EMPTY_TIP, 2, testBytes);
    const second = encodeRecords(prompts(1), first.tip, 1, testBytes);
    const reader = createRecordReader(
      { path: 'p', tip: EMPTY_TIP, offset: 0, line: 1, from: 0, to: Infinity },
      testBytes,
    );
    const { records, failure } = reader.read(Buffer.concat([first.lines, second.lines]));
    expect(records.length).toBe(1);
    expect(failure?.data).toMatchObject({ phase: 'sequence', line: 2, offset: first.lines.length });
    expect(splitLines(first.lines).length).toBe(1);
  });
});
