// Tests how calls are assembled from the pieces that compatible servers send.

import type { AnswerPart } from '@tidemark/model';
import { expect, test } from 'vitest';
import { play, READING } from '../../tests/fixtures.ts';
import { beginCompletion } from './stream.ts';

interface Piece {
  readonly index?: number | string | null;
  readonly id?: string | number;
  readonly function: { readonly name?: string; readonly arguments?: unknown };
}

const piece = (place: Omit<Piece, 'function'>, name: string | undefined, args?: unknown): Piece => ({
  ...place,
  function: { ...(name !== undefined && { name }), ...(args !== undefined && { arguments: args }) },
});

/** Returns the parts of an answer whose chunks contain one piece each. */
function partsOf(...pieces: readonly Piece[]): readonly AnswerPart[] {
  const decoding = beginCompletion(READING);
  const chunks = pieces.map((one) => ({ id: 'r', choices: [{ delta: { tool_calls: [one] } }] }));
  play(decoding, [...chunks, { id: 'r', choices: [{ delta: {}, finish_reason: 'tool_calls' }] }]);
  const last = decoding.take('[DONE]').at(-1);
  if (last?.type !== 'finished') throw new Error('the stream did not finish');
  return last.answer.parts;
}

const call = (id: string, name: string, args: string): AnswerPart => ({
  type: 'call',
  call: id,
  name,
  arguments: args,
});

test('arguments that arrive as an object replace those so far', () => {
  expect(partsOf(piece({ index: 0, id: 'a' }, 'f', {}), piece({ index: 0 }, undefined, { a: 1 }))).toEqual([
    call('a', 'f', '{"a":1}'),
  ]);
});

test('an empty object before the text of the arguments is not a part of them', () => {
  expect(
    partsOf(
      piece({ index: 0, id: 'a' }, 'f', {}),
      piece({ index: 0 }, undefined, '{"a":'),
      piece({ index: 0 }, undefined, '1}'),
    ),
  ).toEqual([call('a', 'f', '{"a":1}')]);
  expect(partsOf(piece({ index: 0, id: 'a' }, 'f', '{"a":1}'), piece({ index: 0 }, undefined, {}))).toEqual([
    call('a', 'f', '{"a":1}'),
  ]);
});

test('arguments that are only an empty object, or a list, are kept as their JSON text', () => {
  expect(partsOf(piece({ index: 0, id: 'a' }, 'f', {}))).toEqual([call('a', 'f', '{}')]);
  expect(partsOf(piece({ index: 0, id: 'a' }, 'f', [1]))).toEqual([call('a', 'f', '[1]')]);
});

test('pieces without an index belong to the call with their id, in any order', () => {
  expect(
    partsOf(
      piece({ id: 'a' }, 'f', '{"x"'),
      piece({ id: 'b' }, 'g', '{"y"'),
      piece({ id: 'a' }, undefined, ':1}'),
      piece({ id: 'b' }, undefined, ':2}'),
    ),
  ).toEqual([call('a', 'f', '{"x":1}'), call('b', 'g', '{"y":2}')]);
});

test('a name and an id that are repeated in each piece begin no further call', () => {
  expect(partsOf(piece({ id: 'a' }, 'f', '{"x"'), piece({ id: 'a' }, 'f', ':1}'))).toEqual([call('a', 'f', '{"x":1}')]);
  expect(partsOf(piece({ index: 0 }, 'f', '{"x"'), piece({ index: 0 }, 'f', ':1}'), piece({ index: 0 }, 'f'))).toEqual([
    call('call_r_0', 'f', '{"x":1}'),
  ]);
});

test('calls that all have the index 0 and no id are separated by their names, or when one is complete', () => {
  expect(partsOf(piece({ index: 0 }, 'f', '{"a":1}'), piece({ index: 0 }, 'g', '{"b":2}'))).toEqual([
    call('call_r_0', 'f', '{"a":1}'),
    call('call_r_1', 'g', '{"b":2}'),
  ]);
  expect(partsOf(piece({ index: 0 }, 'f', '{"a":1}'), piece({ index: 0 }, 'f', '{"a":2}'))).toHaveLength(2);
  expect(partsOf(piece({}, 'f', '{"a":1}'), piece({}, 'f', '{"a":2}'))).toHaveLength(2);
});

test('two calls with one id and different indexes get different ids, so that both run', () => {
  expect(
    partsOf(
      piece({ index: 0, id: 'a' }, 'f', '{"x":'),
      piece({ index: 1, id: 'a' }, 'g', '{"y":'),
      piece({ index: 1, id: 'a' }, undefined, '2}'),
      piece({ index: 0, id: 'a' }, undefined, '1}'),
    ),
  ).toEqual([call('a', 'f', '{"x":1}'), call('a_1', 'g', '{"y":2}')]);
});

test('a name that arrives after the arguments, or in pieces, is kept', () => {
  expect(partsOf(piece({ index: 0, id: 'a' }, undefined, '{}'), piece({ index: 0 }, 'read'))).toEqual([
    call('a', 'read', '{}'),
  ]);
  expect(partsOf(piece({ index: 0, id: 'a' }, 're'), piece({ index: 0 }, 'ad', '{}'))).toEqual([
    call('a', 'read', '{}'),
  ]);
});

test('a call is announced when its name is known, with the arguments so far', () => {
  const decoding = beginCompletion(READING);
  const pieces = [piece({ index: 0, id: 'a' }, undefined, '{"x"'), piece({ index: 0 }, 'f', ':1}')];
  const says = play(
    decoding,
    pieces.map((one) => ({ id: 'r', choices: [{ delta: { tool_calls: [one] } }] })),
  );
  expect(says.slice(1)).toEqual([
    { type: 'call.began', index: 0, call: 'a', name: 'f' },
    { type: 'call.delta', index: 0, arguments: '{"x":1}' },
  ]);
});

test('an id that arrives after the name does not begin a further call', () => {
  expect(partsOf(piece({ index: 0 }, 'f', ''), piece({ index: 0, id: 'a' }, undefined, '{}'))).toEqual([
    call('call_r_0', 'f', '{}'),
  ]);
});

test('numbers as ids, texts as indexes and negative indexes are read', () => {
  expect(
    partsOf(
      piece({ index: '0', id: 7 }, 'f', '{"a":'),
      piece({ index: '0' }, undefined, '1}'),
      piece({ index: -1, id: 8 }, 'g', '{}'),
    ),
  ).toEqual([call('7', 'f', '{"a":1}'), call('8', 'g', '{}')]);
});
