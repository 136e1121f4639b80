import { expect, it } from 'vitest';
import { testBytes } from '../../contract/raw-lines.ts';
import { CHAIN_START } from '../ids.ts';
import { decodeRecord } from './decode-record.ts';
import { checkLine, seal } from './line.ts';

const DATA = '{"parts":[],"presenter":"test"}';

/** Decodes a line that has a valid chain field and checksum, with `values` as the rest of its content. */
function decoded(values: string): unknown {
  const head = testBytes.encode(`{"v":1,"position":3,"at":"2026-11-21T09:00:00.000Z","fence":2,"kind":${values}`);
  const line = seal(head, CHAIN_START, testBytes).subarray(0, -1);
  const sound = checkLine(line, testBytes);
  return typeof sound === 'string' ? sound : decodeRecord(line, sound, testBytes);
}

const PLAIN = decoded(`"prompt.given","turn":"t \\"1\\"","data":${DATA}`);

it('`decodeRecord` reads names and strings with JSON escapes', () => {
  expect(PLAIN).toMatchObject({ kind: 'prompt.given', turn: 't "1"', position: 3, fence: 2 });
  expect(decoded(`"prompt.giv\\u0065n","turn":"t \\u00221\\u0022","data":${DATA}`)).toEqual(PLAIN);
  expect(decoded(`"prompt.given","turn":"ä\\\\","data":${DATA}`)).toMatchObject({ turn: 'ä\\' });
});

it('`decodeRecord` reads valid JSON whose field order or spacing differs from the written layout', () => {
  expect(decoded(`"prompt.given","data":${DATA},"turn":"t \\"1\\""`)).toEqual(PLAIN);
  expect(decoded(`"prompt.given", "turn":"t \\"1\\"" ,"data": ${DATA} `)).toEqual(PLAIN);
  expect(decoded(`"prompt.given","turn":"t \\"1\\"","data":{},"data":${DATA}`)).toEqual(PLAIN);
});

it('`decodeRecord` reports the failed phase and the reason', () => {
  const parse = { phase: 'parse', reason: 'the line is not a JSON object' };
  expect(decoded(`"prompt.given","turn":"t,"data":${DATA}`)).toEqual(parse);
  expect(decoded(`"prompt.given","data":{"parts":[]`)).toEqual(parse);
  expect(decoded(`"prompt.given","turn":"","data":${DATA}`)).toMatchObject({ phase: 'decode' });
  expect(decoded(`"prompt.given","turn":"t"`)).toEqual({
    phase: 'decode',
    reason: 'the kind or the payload of the record is missing',
  });
  expect(decoded(`"prompt.given","data":{"parts":[{"type":"text"}],"presenter":"test"}`)).toMatchObject({
    phase: 'decode',
    reason: expect.stringMatching(/^data\.parts\.0\.text: /u),
  });
  expect(decoded(`"prompt.dreamt","data":1`)).toMatchObject({ kind: 'unknown', name: 'prompt.dreamt', data: 1 });
});
