import type { Answer, StreamPart } from '@tidemark/model';
import { describe, expect, it } from 'vitest';
import type { MessageStreamState } from './stream.ts';
import { NOTHING, decodeEvent, requireFinished } from './stream.ts';

type Event = Readonly<Record<string, unknown>> & { readonly type: string };

const START: Event = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    model: 'claude-sonnet-5-5',
    usage: {
      input_tokens: 3,
      cache_read_input_tokens: 100,
      cache_creation_input_tokens: 20,
      cache_creation: { ephemeral_5m_input_tokens: 15, ephemeral_1h_input_tokens: 5 },
      output_tokens: 1,
    },
  },
};
const STOP: Event = { type: 'message_stop' };
const ended = (reason: string, usage: object = { output_tokens: 9 }): Event => ({
  type: 'message_delta',
  delta: { stop_reason: reason },
  usage,
});
const opens = (index: number, block: object): Event => ({ type: 'content_block_start', index, content_block: block });
const grows = (index: number, delta: object): Event => ({ type: 'content_block_delta', index, delta });
const closes = (index: number): Event => ({ type: 'content_block_stop', index });

function play(...events: readonly Event[]): { arrived: MessageStreamState; says: readonly StreamPart[] } {
  let arrived = NOTHING;
  const says = events.flatMap((event) => {
    const step = decodeEvent(arrived, JSON.stringify(event));
    arrived = step.arrived;
    return step.says;
  });
  return { arrived, says };
}

function answerOf(...events: readonly Event[]): Answer {
  const last = play(START, ...events, STOP).says.at(-1);
  if (last?.type !== 'finished') throw new Error('the stream did not finish');
  return last.answer;
}

describe('parts of a streamed answer', () => {
  it('text arrives as deltas and again as a whole part at its end', () => {
    const { says } = play(
      START,
      opens(0, { type: 'text', text: '' }),
      { type: 'ping' },
      grows(0, { type: 'text_delta', text: 'Hel' }),
      grows(0, { type: 'text_delta', text: 'lo' }),
      closes(0),
      ended('end_turn'),
      STOP,
    );
    const part = { type: 'text', text: 'Hello' };
    expect(says).toEqual([
      {
        type: 'began',
        response: 'msg_1',
        model: 'claude-sonnet-5-5',
        usage: {
          fresh: 3,
          read: 100,
          writes: [
            { ttl: '5m', tokens: 15 },
            { ttl: '1h', tokens: 5 },
          ],
        },
      },
      { type: 'text.delta', index: 0, text: 'Hel' },
      { type: 'text.delta', index: 0, text: 'lo' },
      { type: 'part', index: 0, part },
      {
        type: 'finished',
        answer: expect.objectContaining({ parts: [part], stop: 'end', stopRaw: 'end_turn', truncated: 'no' }),
      },
    ]);
  });

  it('thinking is kept as JSON text with its signature', () => {
    const { parts } = answerOf(
      opens(0, { type: 'thinking', thinking: '', signature: '' }),
      grows(0, { type: 'thinking_delta', thinking: 'let "me"' }),
      grows(0, { type: 'thinking_delta', thinking: ' see' }),
      grows(0, { type: 'signature_delta', signature: 'Sig==' }),
      closes(0),
      opens(1, { type: 'redacted_thinking', data: 'xyz' }),
      closes(1),
    );
    expect(parts).toEqual([
      {
        type: 'reasoning',
        opaque: '{"type":"thinking","thinking":"let \\"me\\" see","signature":"Sig=="}',
        text: 'let "me" see',
      },
      { type: 'reasoning', opaque: '{"type":"redacted_thinking","data":"xyz"}', text: '' },
    ]);
  });

  it('parallel calls keep their arguments as the text that was streamed', () => {
    const { says } = play(
      START,
      opens(0, { type: 'tool_use', id: 'toolu_1', name: 'read', input: {} }),
      grows(0, { type: 'input_json_delta', partial_json: '' }),
      grows(0, { type: 'input_json_delta', partial_json: '{"b":1.0,' }),
      grows(0, { type: 'input_json_delta', partial_json: ' "10":2,"9":3}' }),
      closes(0),
      opens(1, { type: 'tool_use', id: 'toolu_2', name: 'list', input: {} }),
      closes(1),
      ended('tool_use'),
      STOP,
    );
    expect(says.slice(1, -1)).toEqual([
      { type: 'call.began', index: 0, call: 'toolu_1', name: 'read' },
      { type: 'call.delta', index: 0, arguments: '{"b":1.0,' },
      { type: 'call.delta', index: 0, arguments: ' "10":2,"9":3}' },
      {
        type: 'part',
        index: 0,
        part: { type: 'call', call: 'toolu_1', name: 'read', arguments: '{"b":1.0, "10":2,"9":3}' },
      },
      { type: 'call.began', index: 1, call: 'toolu_2', name: 'list' },
      { type: 'part', index: 1, part: { type: 'call', call: 'toolu_2', name: 'list', arguments: '' } },
    ]);
  });

  it('a block of an unknown type becomes a native item with the raw text of its input', () => {
    const { parts } = answerOf(
      opens(0, { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: {} }),
      grows(0, { type: 'input_json_delta', partial_json: '{"query": "1.0"}' }),
      closes(0),
      opens(1, { type: 'web_search_tool_result', tool_use_id: 'srv_1', content: [{ type: 'x' }] }),
      closes(1),
      opens(2, { type: 'compaction', content: '' }),
      grows(2, { type: 'compaction_delta', content: 'so far' }),
      closes(2),
    );
    expect(parts).toEqual([
      {
        type: 'native',
        provider: 'anthropic',
        text: '[server_tool_use]',
        item: '{"type":"server_tool_use","id":"srv_1","name":"web_search","input":{"query": "1.0"}}',
      },
      {
        type: 'native',
        provider: 'anthropic',
        text: '[web_search_tool_result]',
        item: '{"type":"web_search_tool_result","tool_use_id":"srv_1","content":[{"type":"x"}]}',
      },
      { type: 'native', provider: 'anthropic', text: 'so far', item: '{"type":"compaction","content":"so far"}' },
    ]);
  });

  it('text with citations becomes a native item', () => {
    const { parts } = answerOf(
      opens(0, { type: 'text', text: '', citations: [] }),
      grows(0, { type: 'text_delta', text: 'Paris' }),
      grows(0, { type: 'citations_delta', citation: { url: 'u' } }),
      closes(0),
    );
    expect(parts).toEqual([
      {
        type: 'native',
        provider: 'anthropic',
        text: 'Paris',
        item: '{"type":"text","text":"Paris","citations":[{"url":"u"}]}',
      },
    ]);
  });
});

describe('stop reasons (facts 1.9)', () => {
  it.each([
    ['end_turn', 'end', 'no'],
    ['max_tokens', 'length', 'yes'],
    ['stop_sequence', 'sequence', 'no'],
    ['tool_use', 'calls', 'no'],
    ['pause_turn', 'pause', 'no'],
    ['refusal', 'refusal', 'unknown'],
    ['model_context_window_exceeded', 'window', 'yes'],
    ['compaction', 'other', 'no'],
    ['brand_new', 'other', 'unknown'],
  ])('maps %s to `%s` with truncated: %s', (stopRaw, stop, truncated) => {
    expect(answerOf(ended(stopRaw))).toMatchObject({ stopRaw, stop, truncated });
  });

  it('maps a missing stop reason to `other` and sets no `stopRaw`', () => {
    expect(answerOf()).toMatchObject({ stop: 'other', truncated: 'unknown' });
    expect(answerOf()).not.toHaveProperty('stopRaw');
  });
});

describe('usage (L7)', () => {
  it('the last of several cumulative counts wins, and a count missing from a later event keeps its value', () => {
    const { usage } = answerOf(
      ended('end_turn', { output_tokens: 4 }),
      ended('end_turn', { output_tokens: 9, input_tokens: null }),
    );
    expect(usage).toEqual({
      fresh: 3,
      read: 100,
      writes: [
        { ttl: '5m', tokens: 15 },
        { ttl: '1h', tokens: 5 },
      ],
      answer: 9,
    });
  });

  it('thinking tokens are separate from answer tokens if the API reports them', () => {
    const { usage } = answerOf(
      ended('end_turn', { output_tokens: 90, output_tokens_details: { thinking_tokens: 60 } }),
    );
    expect(usage).toMatchObject({ answer: 30, reasoning: 60 });
  });

  it('tokens that the API wrote between server tool calls count as written for 5 minutes', () => {
    const { usage } = answerOf(ended('end_turn', { output_tokens: 1, cache_creation_input_tokens: 50 }));
    expect(usage.writes).toEqual([
      { ttl: '5m', tokens: 45 },
      { ttl: '1h', tokens: 5 },
    ]);
  });

  it('a missing count stays unknown and never becomes 0', () => {
    const bare = (usage?: object): Event => ({ type: 'message_start', message: { usage } });
    const usageOf = (usage?: object) => play(bare(usage), STOP).says.at(-1);
    expect(usageOf()).toMatchObject({ answer: { usage: {} } });
    expect(usageOf({ cache_creation_input_tokens: 7, input_tokens: 1 })).toHaveProperty('answer.usage', {
      fresh: 1,
      written: 7,
    });
    expect(usageOf({ cache_creation_input_tokens: 0 })).toHaveProperty('answer.usage', { writes: [] });
  });
});

describe('a stream that contains errors or unknown events', () => {
  it('ignores unknown events and deltas', () => {
    const { says } = play(
      START,
      { type: 'brand_new', index: 'x' },
      opens(0, { type: 'text', text: 'a' }),
      grows(0, { type: 'new_delta' }),
      closes(0),
    );
    expect(says.at(-1)).toEqual({ type: 'part', index: 0, part: { type: 'text', text: 'a' } });
  });

  it('throws the error that an error event describes, even after the start of the answer', () => {
    const event: Event = {
      type: 'error',
      error: { type: 'overloaded_error', message: 'Overloaded' },
      request_id: 'req_1',
    };
    expect(() => play(START, event)).toThrow(
      expect.objectContaining({
        class: 'retryable',
        code: 'provider/overloaded',
        data: {
          provider: 'anthropic',
          next: 'send it again later',
          type: 'overloaded_error',
          request: 'req_1',
        },
      }),
    );
  });

  it('makes `requireFinished` throw `provider/cut` if the end event is missing', () => {
    const { arrived } = play(START, opens(0, { type: 'text', text: 'half' }));
    expect(() => requireFinished(arrived)).toThrow(
      expect.objectContaining({ class: 'retryable', code: 'provider/cut' }),
    );
    expect(() => requireFinished(play(START, STOP).arrived)).not.toThrow();
  });

  it.each([
    ['no JSON', 'data'],
    ['an event without its fields', '{"type":"content_block_delta"}'],
    ['a delta for a block that is not open', '{"type":"content_block_delta","index":4,"delta":{"type":"text_delta"}}'],
    ['the end of a block that is not open', '{"type":"content_block_stop","index":4}'],
  ])('makes `decodeEvent` throw `provider/malformed` for %s', (_what, data) => {
    expect(() => decodeEvent(NOTHING, data)).toThrow(
      expect.objectContaining({ class: 'retryable', code: 'provider/malformed' }),
    );
  });

  it('throws `provider/malformed` for an end event inside an open block', () => {
    expect(() => play(START, opens(0, { type: 'text', text: '' }), STOP)).toThrow(
      expect.objectContaining({ code: 'provider/malformed' }),
    );
  });
});

describe('usage with invalid values', () => {
  it.each(['12', 7.5, -1, 1e300, 1e15, true, {}, [[]]])('the answer is kept and the count %j is dropped', (odd) => {
    const start = { type: 'message_start', message: { id: 'msg_1', usage: { input_tokens: odd, output_tokens: odd } } };
    const { says } = play(
      start,
      opens(0, { type: 'text', text: 'Fine.' }),
      closes(0),
      ended('end_turn', { input_tokens: odd, output_tokens: 9, cache_creation: odd, output_tokens_details: odd }),
      STOP,
    );
    const answer = { stop: 'end', parts: [{ type: 'text', text: 'Fine.' }], usage: { answer: 9 } };
    expect(says.at(-1)).toMatchObject({ type: 'finished', answer });
    expect(says.at(-1)).not.toHaveProperty('answer.usage.fresh');
  });

  it.each(['none', 3, [[1]], false])('the answer is kept when the whole usage is %j', (odd) => {
    const start = { type: 'message_start', message: { id: 'msg_1', usage: odd } };
    const { says } = play(start, { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: odd }, STOP);
    expect(says.at(-1)).toMatchObject({ type: 'finished', answer: { stop: 'end' } });
    expect(says.at(-1)).toHaveProperty('answer.usage', {});
  });
});
