// Tests for the stream events of a reply.

import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { AnswerBlock } from '../core/answer.ts';
import { encodeEvent } from '../core/sse.ts';
import { eventsOf, usageOf } from './message.ts';

function deltas(block: AnswerBlock, size: number): readonly string[] {
  const usage = usageOf(
    { fresh: 1, read: 0, written5m: 0, written1h: 0 },
    { outputTokens: 9, thinkingTokens: 0, speed: null, geo: 'not_available' },
  );
  const answer = { blocks: [block], stop: 'end_turn' as const, outputTokens: 9, thinkingTokens: 0 };
  const reply = {
    id: 'msg_1',
    model: 'm',
    answer,
    usage,
    diagnosis: null,
    transformations: undefined,
    edits: undefined,
  };
  const texts: string[] = [];
  for (const { data } of eventsOf(reply, size)) {
    const parsed: { readonly delta?: { readonly text?: string; readonly partial_json?: string } } = JSON.parse(data);
    const piece = parsed.delta?.text ?? parsed.delta?.partial_json;
    if (piece !== undefined) texts.push(piece);
  }
  return texts;
}

describe('deltas', () => {
  it('join to the full text of the block and never split a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), fc.integer({ min: 1, max: 5 }), (text, size) => {
        const pieces = deltas({ type: 'text', text }, size);
        expect(pieces.join('')).toBe(text);
        expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
      }),
    );
  });

  it('of a call begin with an empty delta and join to the raw arguments', () => {
    expect(deltas({ type: 'tool_use', id: 'a', name: 'b', arguments: '{"a": 1}' }, 4)).toEqual(['', '{"a"', ': 1}']);
  });
});

it('`encodeEvent` writes the event name on the `event` line and keeps the data on one line', () => {
  expect(encodeEvent({ event: 'ping', data: '{"type":"ping"}' })).toBe('event: ping\ndata: {"type":"ping"}\n\n');
});
