import type { Answer } from '@tidemark/model';
import { describe, expect, it } from 'vitest';
import { play, READING } from '../../tests/fixtures.ts';
import { beginCompletion, decodeCompletion } from './stream.ts';

const chunk = (delta: object, finish_reason: string | null = null): object => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  model: 'llama3.3',
  choices: [{ index: 0, delta, finish_reason }],
});
const calls = (...tool_calls: readonly object[]): object => chunk({ tool_calls });
const ends = (reason: string): object => chunk({}, reason);
const USAGE = { id: 'chatcmpl-1', choices: [], usage: { prompt_tokens: 9, completion_tokens: 2 } };

function answerOf(...chunks: readonly object[]): Answer {
  const decoding = beginCompletion(READING);
  play(decoding, chunks);
  const last = decoding.take('[DONE]').at(-1);
  if (last?.type !== 'finished') throw new Error('the stream did not finish');
  return last.answer;
}

describe('parts of a completion', () => {
  it('are streamed as they arrive and repeated whole at the end, followed by the usage', () => {
    const decoding = beginCompletion(READING);
    const says = play(decoding, [
      chunk({ role: 'assistant', content: '' }),
      chunk({ reasoning_content: 'hm' }),
      chunk({ content: 'I ' }),
      chunk({ content: 'read.' }),
      calls({ index: 0, id: 'call_1', type: 'function', function: { name: 'read', arguments: '' } }),
      calls({ index: 0, function: { arguments: '{"a":' } }),
      calls(
        { index: 1, id: 'call_2', function: { name: 'list', arguments: '{}' } },
        { index: 0, function: { arguments: '1.0}' } },
      ),
      ends('tool_calls'),
      USAGE,
    ]);
    const parts = [
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'I read.' },
      { type: 'call', call: 'call_1', name: 'read', arguments: '{"a":1.0}' },
      { type: 'call', call: 'call_2', name: 'list', arguments: '{}' },
    ];
    expect(says).toEqual([
      { type: 'began', response: 'chatcmpl-1', model: 'llama3.3', usage: {} },
      { type: 'reasoning.delta', index: 0, text: 'hm' },
      { type: 'text.delta', index: 1, text: 'I ' },
      { type: 'text.delta', index: 1, text: 'read.' },
      { type: 'call.began', index: 2, call: 'call_1', name: 'read' },
      { type: 'call.delta', index: 2, arguments: '{"a":' },
      { type: 'call.began', index: 3, call: 'call_2', name: 'list' },
      { type: 'call.delta', index: 3, arguments: '{}' },
      { type: 'call.delta', index: 2, arguments: '1.0}' },
    ]);
    expect(decoding.take(' [DONE]')).toEqual([
      ...parts.map((part, index) => ({ type: 'part', index, part })),
      {
        type: 'finished',
        answer: {
          parts,
          stop: 'calls',
          stopRaw: 'tool_calls',
          truncated: 'no',
          response: 'chatcmpl-1',
          model: 'llama3.3',
          usage: { input: 9, answer: 2 },
        },
      },
    ]);
    expect(decoding.finished()).toBe(true);
  });

  it('calls with the same index 0 are distinguished by their ids', () => {
    const whole = (id: string): object =>
      calls({ index: 0, id, function: { name: 'read', arguments: `{"id":"${id}"}` } });
    expect(answerOf(whole('a'), whole('b'), ends('stop')).parts).toMatchObject([
      { call: 'a', arguments: '{"id":"a"}' },
      { call: 'b', arguments: '{"id":"b"}' },
    ]);
  });

  it('a call without an id and an index gets both', () => {
    const named = (name: string): object => calls({ function: { name, arguments: '{' } });
    expect(answerOf(named('read'), calls({ function: { arguments: '}' } }), named('list'), ends('stop')).parts).toEqual(
      [
        { type: 'call', call: 'call_chatcmpl-1_0', name: 'read', arguments: '{}' },
        { type: 'call', call: 'call_chatcmpl-1_1', name: 'list', arguments: '{' },
      ],
    );
  });
});

describe('the end of a completion', () => {
  it.each([
    ['stop', 'end', 'no'],
    ['length', 'length', 'yes'],
    ['tool_calls', 'calls', 'no'],
    ['content_filter', 'refusal', 'unknown'],
    ['brand_new', 'other', 'unknown'],
  ])('maps %s to `%s` with truncated: %s', (stopRaw, stop, truncated) => {
    expect(answerOf(chunk({ content: 'a' }), ends(stopRaw))).toMatchObject({ stopRaw, stop, truncated });
  });

  it('is `calls` if the answer contains calls and `refusal` if it contains a refusal, even if the server reports `stop`', () => {
    const call = calls({ index: 0, id: 'a', function: { name: 'read', arguments: '{}' } });
    expect(answerOf(call, ends('stop'))).toMatchObject({ stop: 'calls', stopRaw: 'stop' });
    expect(answerOf(chunk({ refusal: 'No.' }), ends('stop'))).toMatchObject({
      stop: 'refusal',
      parts: [{ type: 'text', text: 'No.' }],
    });
  });

  it('is valid without [DONE], but an end without a finish reason throws `provider/cut`', () => {
    const whole = beginCompletion(READING);
    play(whole, [chunk({ content: 'a' }), ends('stop')]);
    expect(whole.end().map(({ type }) => type)).toEqual(['part', 'finished']);
    const half = beginCompletion(READING);
    play(half, [chunk({ content: 'a' })]);
    expect(() => half.end()).toThrow(expect.objectContaining({ class: 'retryable', code: 'provider/cut' }));
    expect(() => half.take('[DONE]')).toThrow(expect.objectContaining({ code: 'provider/cut' }));
  });

  it('throws the error that a chunk contains, and reads a numeric error code as a status', () => {
    const error = { message: 'Provider returned error', code: 429 };
    expect(() => play(beginCompletion(READING), [chunk({ content: 'a' }), { error }])).toThrow(
      expect.objectContaining({ code: 'provider/rate-limited', data: expect.objectContaining({ status: 429 }) }),
    );
  });

  it.each([
    ['no JSON', '{'],
    ['choices that are not a list', '{"choices":{}}'],
  ])('throws `provider/malformed` for %s', (_what, data) => {
    expect(() => beginCompletion(READING).take(data)).toThrow(
      expect.objectContaining({ class: 'retryable', code: 'provider/malformed' }),
    );
  });
});

describe('a completion that arrives whole', () => {
  it('is decoded to the same answer as its stream', () => {
    const body = {
      id: 'c1',
      model: 'm',
      choices: [
        {
          message: {
            role: 'assistant',
            content: 'hi',
            tool_calls: [
              { id: 'a', type: 'function', function: { name: 'read', arguments: '{}' } },
              { id: 'b', type: 'function', function: { name: 'read', arguments: '{}' } },
            ],
          },
          finish_reason: 'tool_calls',
        },
      ],
    };
    expect(decodeCompletion(READING, JSON.stringify(body))).toEqual({
      parts: [
        { type: 'text', text: 'hi' },
        { type: 'call', call: 'a', name: 'read', arguments: '{}' },
        { type: 'call', call: 'b', name: 'read', arguments: '{}' },
      ],
      stop: 'calls',
      stopRaw: 'tool_calls',
      truncated: 'no',
      response: 'c1',
      model: 'm',
      usage: {},
    });
  });

  it('throws `provider/malformed` without a message, and throws the error that the body contains', () => {
    expect(() => decodeCompletion(READING, '{"choices":[]}')).toThrow(
      expect.objectContaining({ code: 'provider/malformed' }),
    );
    expect(() => decodeCompletion(READING, '{"error":{"message":"no","code":401}}')).toThrow(
      expect.objectContaining({ code: 'provider/authentication' }),
    );
  });
});

describe('usage with invalid values', () => {
  const counting = (usage: unknown): Answer['usage'] =>
    answerOf(chunk({ content: 'Fine.' }), ends('stop'), { choices: [], usage }).usage;

  it.each(['12', 7.5, -1, 1e300, 1e15, true, {}, [[]]])('the answer is kept and the count %j is dropped', (odd) => {
    const answer = answerOf(chunk({ content: 'Fine.' }), ends('stop'), { choices: [], usage: { prompt_tokens: odd } });
    expect(answer).toMatchObject({ stop: 'end', parts: [{ type: 'text', text: 'Fine.' }], usage: {} });
    expect(counting({ prompt_tokens: odd, completion_tokens: 5 })).toEqual({ answer: 5 });
    expect(counting({ prompt_tokens: 9, completion_tokens: odd })).toEqual({ input: 9 });
    const read = { prompt_tokens: 9, prompt_tokens_details: { cached_tokens: odd }, completion_tokens: 5 };
    expect(counting(read)).toEqual({ input: 9, answer: 5 });
  });

  it.each(['none', 3, [[1]], false])('the answer is kept when the whole usage is %j', (odd) => {
    expect(counting(odd)).toEqual({});
    expect(counting({ prompt_tokens: 9, prompt_tokens_details: odd, completion_tokens: 5 })).toMatchObject({
      input: 9,
    });
  });
});
