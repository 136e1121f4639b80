import type { Answer } from '@tidemark/model';
import { describe, expect, it, test } from 'vitest';
import { play } from '../../tests/fixtures.ts';
import { beginResponse } from './stream.ts';
import { decodeCount, decodeResponse } from './answer.ts';

type Event = Readonly<Record<string, unknown>> & { readonly type: string };

const CREATED: Event = {
  type: 'response.created',
  sequence_number: 0,
  response: { id: 'resp_1', model: 'gpt-5.6-sol', status: 'in_progress', output: [], usage: null },
};
const USAGE = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 30, cache_write_tokens: 10 },
  output_tokens: 20,
  output_tokens_details: { reasoning_tokens: 15 },
};
const ended = (status: string, more: object = {}): Event => ({
  type: `response.${status}`,
  response: {
    id: 'resp_1',
    model: 'gpt-5.6-sol',
    status,
    usage: USAGE,
    prompt_cache_options: { mode: 'implicit', ttl: '30m' },
    ...more,
  },
});
const added = (output_index: number, item: object): Event => ({
  type: 'response.output_item.added',
  output_index,
  item,
});
const done = (output_index: number, item: object): Event => ({ type: 'response.output_item.done', output_index, item });
const delta = (type: string, output_index: number, text: string): Event => ({
  type: `response.${type}.delta`,
  output_index,
  delta: text,
});
const message = (...content: readonly object[]): object => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  content,
});
const text = (words: string, annotations: readonly object[] = []): object => ({
  type: 'output_text',
  text: words,
  annotations,
});

function answerOf(...events: readonly Event[]): Answer {
  const last = play(beginResponse(), [CREATED, ...events]).at(-1);
  if (last?.type !== 'finished') throw new Error('the stream did not finish');
  return last.answer;
}

test.each([undefined, '', null])('a call with the id %j becomes a part with an empty id', (call_id) => {
  const call = { type: 'function_call', id: 'fc_1', call_id, name: 'read', arguments: '{}' };
  const answer = answerOf(added(0, { ...call, arguments: '' }), done(0, call), ended('completed'));
  expect(answer.parts).toEqual([{ type: 'call', call: '', name: 'read', arguments: '{}' }]);
});

describe('parts of a streamed answer', () => {
  it('text and arguments are streamed as they arrive, and the parts are built from the finished items', () => {
    const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'read', arguments: '' };
    const says = play(beginResponse(), [
      CREATED,
      { type: 'response.in_progress', response: {} },
      added(0, { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'half' }),
      { type: 'response.reasoning_summary_part.added', output_index: 0, summary_index: 0 },
      delta('reasoning_summary_text', 0, 'First'),
      { type: 'response.reasoning_summary_part.added', output_index: 0, summary_index: 1 },
      delta('reasoning_summary_text', 0, 'then'),
      done(0, {
        type: 'reasoning',
        id: 'rs_1',
        summary: [
          { type: 'summary_text', text: 'First' },
          { type: 'summary_text', text: 'then' },
        ],
        encrypted_content: 'whole',
      }),
      added(1, message()),
      { type: 'response.content_part.added', output_index: 1, content_index: 0, part: text('') },
      delta('output_text', 1, 'I '),
      delta('output_text', 1, 'read.'),
      done(1, message(text('I read.'))),
      added(2, call),
      delta('function_call_arguments', 2, '{"a":'),
      delta('function_call_arguments', 2, ' 1.0}'),
      done(2, { ...call, arguments: '{"a": 1.0}', status: 'completed' }),
      ended('completed'),
    ]);
    const opaque =
      '{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"First"},{"type":"summary_text","text":"then"}],"encrypted_content":"whole"}';
    const parts = [
      { type: 'reasoning', opaque, text: 'First\n\nthen' },
      { type: 'text', text: 'I read.' },
      { type: 'call', call: 'call_1', name: 'read', arguments: '{"a": 1.0}' },
    ];
    expect(says).toEqual([
      { type: 'began', response: 'resp_1', model: 'gpt-5.6-sol', usage: {} },
      { type: 'reasoning.delta', index: 0, text: 'First' },
      { type: 'reasoning.delta', index: 0, text: '\n\n' },
      { type: 'reasoning.delta', index: 0, text: 'then' },
      { type: 'part', index: 0, part: parts[0] },
      { type: 'text.delta', index: 1, text: 'I ' },
      { type: 'text.delta', index: 1, text: 'read.' },
      { type: 'part', index: 1, part: parts[1] },
      { type: 'call.began', index: 2, call: 'call_1', name: 'read' },
      { type: 'call.delta', index: 2, arguments: '{"a":' },
      { type: 'call.delta', index: 2, arguments: ' 1.0}' },
      { type: 'part', index: 2, part: parts[2] },
      {
        type: 'finished',
        answer: {
          parts,
          stop: 'calls',
          stopRaw: 'completed',
          truncated: 'no',
          response: 'resp_1',
          model: 'gpt-5.6-sol',
          usage: { fresh: 60, read: 30, writes: [{ ttl: '30m', tokens: 10 }], answer: 5, reasoning: 15 },
        },
      },
    ]);
  });

  it('an item keeps its bytes as they were sent', () => {
    const decoding = beginResponse();
    play(decoding, [CREATED, added(0, { type: 'reasoning' })]);
    const item = '{ "type":"reasoning", "10":1.0, "9":2,"summary":[],"encrypted_content":"e\\u0041"}';
    const [part] = decoding.take(`{"item":${item},"output_index":0,"type":"response.output_item.done"}`);
    expect(part).toMatchObject({ part: { type: 'reasoning', opaque: item } });
  });

  it('web searches and cited text are kept verbatim, with a plain twin', () => {
    const search = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } };
    const cited = message(text('Paris.', [{ type: 'url_citation', url: 'u' }]));
    expect(
      answerOf(added(0, search), done(0, search), added(1, cited), done(1, cited), ended('completed')).parts,
    ).toEqual([
      { type: 'native', provider: 'openai', item: JSON.stringify(search), text: '[web_search_call]' },
      { type: 'native', provider: 'openai', item: JSON.stringify(cited), text: 'Paris.' },
    ]);
  });

  it('a refusal becomes a text part and sets the stop reason `refusal`', () => {
    const refusal = message({ type: 'refusal', refusal: 'I cannot.' });
    expect(
      answerOf(added(0, message()), delta('refusal', 0, 'I cannot.'), done(0, refusal), ended('completed')),
    ).toMatchObject({ parts: [{ type: 'text', text: 'I cannot.' }], stop: 'refusal' });
  });
});

describe('the end of an answer', () => {
  it.each([
    ['max_output_tokens', 'length', 'yes'],
    ['content_filter', 'refusal', 'unknown'],
    ['brand_new', 'other', 'yes'],
  ])('an incomplete response with reason %s has stop `%s` and truncated: %s', (reason, stop, truncated) => {
    expect(answerOf(ended('incomplete', { incomplete_details: { reason } }))).toMatchObject({
      stop,
      truncated,
      stopRaw: reason,
    });
  });

  it('an item that was cut off keeps the data that arrived, including partial arguments', () => {
    const { parts } = answerOf(
      added(0, { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'half' }),
      delta('reasoning_summary_text', 0, 'hm'),
      added(1, message()),
      delta('output_text', 1, 'half a sen'),
      added(2, { type: 'function_call', call_id: 'call_1', name: 'read', arguments: '' }),
      delta('function_call_arguments', 2, '{"path":"a'),
      ended('incomplete', { incomplete_details: { reason: 'max_output_tokens' } }),
    );
    expect(parts).toEqual([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'half a sen' },
      { type: 'call', call: 'call_1', name: 'read', arguments: '{"path":"a' },
    ]);
  });

  it('a completed response without calls has stop `end`', () => {
    expect(answerOf(ended('completed'))).toMatchObject({ stop: 'end', truncated: 'no', parts: [] });
  });

  it('a failed response throws the error that it describes, and an error event does so in either of its two forms', () => {
    const error = { code: 'rate_limit_exceeded', message: 'Please try again in 2s.' };
    const events: readonly Event[] = [
      { type: 'response.failed', response: { id: 'resp_1', status: 'failed', error } },
      { type: 'error', ...error, param: null },
      { type: 'error', error: { type: 'tokens', ...error } },
    ];
    for (const event of events) {
      expect(() => play(beginResponse(), [CREATED, event])).toThrow(
        expect.objectContaining({
          class: 'retryable',
          code: 'provider/rate-limited',
          data: expect.objectContaining({ type: 'rate_limit_exceeded', afterMs: 2_000 }),
        }),
      );
    }
  });

  it.each([
    ['headers that are a text', { headers: 'retry-after: 2' }],
    ['headers that are a list', { headers: [['retry-after']] }],
    ['a header value that is an object', { headers: { 'retry-after': {} } }],
    ['a header name with a space', { headers: { 'retry after': '2' } }],
    ['a header value with a line break', { headers: { 'retry-after': '2\nx: y' } }],
    ['a `param` that is not a text', { param: 7 }],
  ])('an error event with %s throws the error without that field, in either of its two forms', (_what, field) => {
    const error = { code: 'server_error', message: 'x', ...field };
    for (const event of [
      { type: 'error', ...error },
      { type: 'error', error },
    ]) {
      expect(() => play(beginResponse(), [CREATED, event])).toThrow(
        expect.objectContaining({ class: 'retryable', code: 'provider/server' }),
      );
    }
  });
});

describe('errors and unknown events in a stream', () => {
  it('unknown events and fields are ignored', () => {
    const says = play(beginResponse(), [
      CREATED,
      { type: 'response.brand_new', output_index: 'x' },
      ended('completed'),
    ]);
    expect(says.map(({ type }) => type)).toEqual(['began', 'finished']);
  });

  it('a stream that ends before the response is complete throws `provider/cut`', () => {
    const decoding = beginResponse();
    play(decoding, [CREATED, added(0, message())]);
    expect(() => decoding.end()).toThrow(expect.objectContaining({ class: 'retryable', code: 'provider/cut' }));
    play(decoding, [done(0, message(text('a'))), ended('completed')]);
    expect(decoding.finished()).toBe(true);
    expect(decoding.end()).toEqual([]);
    expect(decoding.take('anything')).toEqual([]);
  });

  it('`began` is always the first part, even if the server does not send the event', () => {
    const says = play(beginResponse(), [added(0, message()), delta('output_text', 0, 'a')]);
    expect(says.map(({ type }) => type)).toEqual(['began', 'text.delta']);
  });

  it.each([
    ['no JSON', 'data'],
    ['an event without its fields', '{"type":"response.output_text.delta","output_index":0}'],
    ['a delta for an item that is not open', '{"type":"response.output_text.delta","output_index":4,"delta":"a"}'],
    [
      'the end of an item that is not open',
      '{"type":"response.output_item.done","output_index":4,"item":{"type":"x"}}',
    ],
  ])('throws `provider/malformed` for %s', (_what, data) => {
    expect(() => beginResponse().take(data)).toThrow(
      expect.objectContaining({ class: 'retryable', code: 'provider/malformed' }),
    );
  });

  it('throws `provider/malformed` for an end event inside an open item', () => {
    expect(() => play(beginResponse(), [CREATED, added(0, message()), ended('completed')])).toThrow(
      expect.objectContaining({ code: 'provider/malformed' }),
    );
  });
});

describe('a response that arrives whole', () => {
  it('is decoded with the unchanged bytes of its items', () => {
    const reasoning = '{ "type":"reasoning","summary":[],"encrypted_content":"e"}';
    const call = '{"type":"function_call","call_id":"c","name":"read","arguments":"{\\"a\\":1.0}"}';
    const body = `{"id":"resp_1","model":"gpt-5.4","status":"completed","output":[${reasoning}, ${call}],"usage":{"input_tokens":4,"input_tokens_details":{"cached_tokens":0},"output_tokens":2}}`;
    expect(decodeResponse(body)).toEqual({
      parts: [
        { type: 'reasoning', opaque: reasoning, text: '' },
        { type: 'call', call: 'c', name: 'read', arguments: '{"a":1.0}' },
      ],
      stop: 'calls',
      stopRaw: 'completed',
      truncated: 'no',
      response: 'resp_1',
      model: 'gpt-5.4',
      usage: { fresh: 4, read: 0, writes: [], answer: 2 },
    });
  });

  it('throws the error of a failed response, and `provider/malformed` for any other text', () => {
    expect(() =>
      decodeResponse('{"status":"failed","error":{"code":"server_error","message":"x"},"output":[]}'),
    ).toThrow(expect.objectContaining({ code: 'provider/server' }));
    for (const body of ['<html>', '{}', '{"output":[{}]}']) {
      expect(() => decodeResponse(body)).toThrow(expect.objectContaining({ code: 'provider/malformed' }));
    }
  });

  it('`decodeCount` reads a token count and throws `provider/malformed` for any other text', () => {
    expect(decodeCount('{"object":"response.input_tokens","input_tokens":7}')).toBe(7);
    expect(() => decodeCount('{}')).toThrow(expect.objectContaining({ code: 'provider/malformed' }));
  });
});
