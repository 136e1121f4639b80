import { expect, it } from 'vitest';
import { decodeCount, decodeMessage } from './stream.ts';

it('`decodeMessage` keeps the exact text of arguments and items of a whole message', () => {
  const thinking = '{ "type":"thinking","thinking":"hm","signature":"s" }';
  const text =
    `{"id":"msg_1","model":"m","type":"message","role":"assistant","content":[${thinking},{"type":"text","text":"so"},` +
    '{"type":"tool_use","id":"t1","name":"read","input":{"10":1.0, "9":2}}],"stop_reason":"tool_use","usage":{"input_tokens":4,"output_tokens":2}}';
  expect(decodeMessage(text)).toEqual({
    parts: [
      { type: 'reasoning', opaque: thinking, text: 'hm' },
      { type: 'text', text: 'so' },
      { type: 'call', call: 't1', name: 'read', arguments: '{"10":1.0, "9":2}' },
    ],
    stop: 'calls',
    stopRaw: 'tool_use',
    truncated: 'no',
    response: 'msg_1',
    model: 'm',
    usage: { fresh: 4, answer: 2 },
  });
});

it('`decodeMessage` throws `provider/malformed` for a text that is not a message', () => {
  for (const text of ['<html>', '{}', '{"content":[{}]}']) {
    expect(() => decodeMessage(text)).toThrow(
      expect.objectContaining({ code: 'provider/malformed', class: 'retryable' }),
    );
  }
});

it('`decodeCount` reads a token count and throws `provider/malformed` for any other text', () => {
  expect(decodeCount('{"input_tokens":7,"context_management":null}')).toBe(7);
  for (const text of ['', '7', '{"input_tokens":"7"}']) {
    expect(() => decodeCount(text)).toThrow(expect.objectContaining({ code: 'provider/malformed' }));
  }
});
