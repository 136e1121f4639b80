import type { Encoder, Lowering, Span } from '@tidemark/model';
import { describeEncoderContract, loweringFor } from '@tidemark/model/contract';
import { describe, expect, it, test } from 'vitest';
import { bodyOf, textPart, span } from '../../tests/fixtures.ts';
import { openaiChatEncoder } from '../chat/encoder.ts';
import type { SentReasoning } from './encoders.ts';
import { COMPATIBLE_ENCODERS, COMPATIBLE_RESERVED } from './encoders.ts';

const to = { provider: 'openai', model: 'gpt-5.6-sol' } as const;

for (const [name, encoder] of Object.entries(COMPATIBLE_ENCODERS)) {
  describeEncoderContract(`compatible, reasoning ${name}`, { encoder, to });
  for (const [field, without] of Object.entries(encoder.without ?? {}))
    describeEncoderContract(`compatible, reasoning ${name}, without ${field}`, { encoder: without, to });
}

const ENVELOPE = { outputLimit: 100, fields: {}, betas: [] };
const front = { model: to.model, parameters: {}, tools: [], system: [] };

const thought = (text: string, more: object = {}): Span['parts'][number] => ({
  type: 'reasoning',
  text,
  opaque: JSON.stringify({ reasoning_content: text }),
  provider: 'openai',
  model: to.model,
  ...more,
});
const call = (id: string): Span['parts'][number] => ({ type: 'call', call: id, name: 'read', arguments: '{}' });
const result = (id: string, group: number): Span =>
  span('user', group, [{ type: 'result', call: id, error: false, content: [{ type: 'text', text: 'A' }] }]);

const LOOP: readonly Span[] = [
  span('user', 0, [textPart('go')], true),
  span('assistant', 1, [thought('hm "so"'), textPart('I read.'), call('a')]),
  result('a', 2),
  span('assistant', 3, [thought('again'), call('b')]),
  result('b', 4),
  span('assistant', 5, [call('c')]),
  result('c', 6),
  span('assistant', 7, [textPart('Done.')]),
  span('user', 8, [textPart('and?')], true),
];

interface WireMessage {
  readonly role: string;
  readonly content: string | null;
  readonly reasoning_content?: string;
}

function answersIn(encoder: Encoder, spans: readonly Span[]): readonly WireMessage[] {
  const body: { readonly messages: readonly WireMessage[] } = JSON.parse(bodyOf(encoder, front, spans, ENVELOPE));
  return body.messages.filter(({ role }) => role === 'assistant');
}

describe('reasoning in requests to a compatible server', () => {
  test.each<[SentReasoning, readonly (string | undefined)[]]>([
    ['none', [undefined, undefined, undefined, undefined]],
    ['own', ['hm "so"', 'again', undefined, undefined]],
    ['always', ['hm "so"', 'again', '', '']],
    ['always-spaced', ['hm "so"', 'again', ' ', ' ']],
  ])('%s: the messages of the assistant contain the reasoning %j', (name, expected) => {
    const answers = answersIn(COMPATIBLE_ENCODERS[name], LOOP);
    expect(answers.map(({ reasoning_content }) => reasoning_content)).toEqual(expected);
    expect(answers.map(({ content }) => content)).toEqual(['I read.', null, null, 'Done.']);
  });

  it('is never sent to another model or another provider, and never without its opaque item', () => {
    const others = [
      { model: 'other' },
      { provider: 'other' },
      { opaque: undefined },
      { opaque: '{"type":"thinking"}' },
    ];
    for (const more of others) {
      const spans = [
        span('user', 0, [textPart('go')], true),
        span('assistant', 1, [thought('secret', more), textPart('Hi.')]),
      ];
      expect(bodyOf(COMPATIBLE_ENCODERS.own, front, spans, ENVELOPE)).not.toContain('secret');
      expect(answersIn(COMPATIBLE_ENCODERS.always, spans)).toEqual([
        { role: 'assistant', reasoning_content: '', content: 'Hi.' },
      ]);
    }
  });

  it('comes first in its message, wherever it was in the answer', () => {
    const spans = [
      span('user', 0, [textPart('go')], true),
      span('assistant', 1, [textPart('Hi.'), thought('hm'), call('a')]),
    ];
    expect(answersIn(COMPATIBLE_ENCODERS.own, [...spans, result('a', 2)])).toMatchObject([
      { reasoning_content: 'hm', content: 'Hi.', tool_calls: [{ id: 'a' }] },
    ]);
  });
});

describe('the bodies of compatible servers', () => {
  const bodies = (encoder: Encoder, parameters: object = {}): string =>
    bodyOf(encoder, { ...front, parameters: { ...parameters } }, LOOP.slice(0, 1), ENVELOPE);

  test('equal those of `openai-chat/1` if no reasoning is sent back', () => {
    expect(bodyOf(COMPATIBLE_ENCODERS.none, front, LOOP, ENVELOPE)).toBe(
      bodyOf(openaiChatEncoder, front, LOOP, ENVELOPE),
    );
  });

  test('have a variant without `stream_options`, with the same blocks and its own revision', () => {
    for (const encoder of Object.values(COMPATIBLE_ENCODERS)) {
      const without = encoder.without?.['stream_options'];
      if (without === undefined) throw new Error('there is no variant');
      expect(without.revision).not.toBe(encoder.revision);
      expect(bodies(encoder)).toBe(bodies(without).replace(/\}$/, ',"stream_options":{"include_usage":true}}'));
      const lowering: Lowering = loweringFor(to);
      const lower = (one: Encoder): unknown => LOOP.flatMap((each) => one.lowerSpan(each, lowering));
      expect(lower(without)).toEqual(lower(encoder));
    }
  });

  test('contain any parameter as a field, except the fields that the encoder writes', () => {
    const parameters = { temperature: 0.2, reasoning_effort: 'low', chat_template_kwargs: { enable_thinking: false } };
    expect(JSON.parse(bodies(COMPATIBLE_ENCODERS.none, parameters))).toMatchObject(parameters);
    for (const name of COMPATIBLE_RESERVED)
      expect(() => bodies(COMPATIBLE_ENCODERS.none, { [name]: 1 })).toThrow(
        expect.objectContaining({ code: 'provider/unsupported' }),
      );
  });

  test('are pinned', () => {
    expect(bodyOf(COMPATIBLE_ENCODERS.always, front, LOOP.slice(0, 3), ENVELOPE)).toBe(PINNED);
    const revisions = Object.values(COMPATIBLE_ENCODERS).flatMap((one) => [one, ...Object.values(one.without ?? {})]);
    expect(revisions.map(({ revision }) => revision)).toEqual([
      'compatible-chat/1',
      'compatible-chat-without-stream-options/1',
      'compatible-chat-reasoning/1',
      'compatible-chat-reasoning-without-stream-options/1',
      'compatible-chat-reasoning-always/1',
      'compatible-chat-reasoning-always-without-stream-options/1',
      'compatible-chat-reasoning-always-spaced/1',
      'compatible-chat-reasoning-always-spaced-without-stream-options/1',
    ]);
  });
});

const PINNED =
  '{"model":"gpt-5.6-sol","messages":[{"role":"user","content":"go"},' +
  '{"role":"assistant","reasoning_content":"hm \\"so\\"","content":"I read.",' +
  '"tool_calls":[{"id":"a","type":"function","function":{"name":"read","arguments":"{}"}}]},' +
  '{"role":"tool","tool_call_id":"a","content":"A"}],' +
  '"max_completion_tokens":100,"stream":true,"stream_options":{"include_usage":true}}';
