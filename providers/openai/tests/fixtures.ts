// Values shared by the tests of this package.

import type {
  Block,
  Encoder,
  Envelope,
  Front,
  Lowering,
  Part,
  ResultPart,
  Role,
  Span,
  StreamPart,
} from '@tidemark/model';
import { loweringFor, PICTURE, sha256 } from '@tidemark/model/contract';
import type { Decoding, Service } from '@tidemark/provider-wire';
import type { AnswerReading } from '../src/chat/stream.ts';

export const MODEL = 'gpt-5.6-sol';
export const LOWERING: Lowering = loweringFor({ provider: 'openai', model: MODEL });
export const ENVELOPE: Envelope = { outputLimit: 1_000, fields: { prompt_cache_key: 'tm1.0' }, betas: [] };

const origin = { from: 'layer', layer: 'runtime', revision: '1' } as const;

/** A front without parameters, tools or system texts. */
export const BARE: Front = { model: MODEL, parameters: {}, tools: [], system: [] };

/** A front with one tool and two system texts. */
export const FRONT: Front = {
  model: MODEL,
  parameters: { 'reasoning.effort': 'high', 'text.verbosity': 'low' },
  tools: [{ name: 'read', definition: '{"description":"Reads.","name":"read","schema":{"type":"object"}}', origin }],
  system: [
    { text: 'You "are".', stability: 'global', origin },
    { text: 'A role.', stability: 'project', origin },
  ],
};

/** Returns a span of one message: the given parts, with the given role and group number. */
export function span(role: Role, group: number, parts: readonly Part[], opensTurn = false): Span {
  const at = { from: 'event', session: 'session', position: group } as const;
  return { role, group, parts, opensTurn, ordinal: group, stability: 'session', origin: at };
}

export const textPart = (text: string): Part => ({ type: 'text', text });

/**
 * Returns a history: a prompt with a picture, an answer with reasoning and two calls, their results, and a final text.
 */
export function historyOf(reasoning: Part, failed: ResultPart['content']): readonly Span[] {
  return [
    span('user', 0, [textPart('read both'), PICTURE], true),
    span('assistant', 1, [
      reasoning,
      textPart('I read.'),
      { type: 'call', call: 'call_1', name: 'read', arguments: '{"path": "a"}' },
      { type: 'call', call: 'toolu|2', name: 'read', arguments: '' },
    ]),
    span('user', 2, [{ type: 'result', call: 'call_1', error: false, content: [{ type: 'text', text: 'A' }] }]),
    span('user', 2, [{ type: 'result', call: 'toolu|2', error: true, content: failed }]),
    span('user', 3, [textPart('and?')], true),
    span('user', 3, [textPart('be brief')]),
  ];
}

/** A history for OpenAI, with encrypted reasoning and an empty failed result. */
export const HISTORY: readonly Span[] = historyOf(
  {
    type: 'reasoning',
    text: 'hm',
    opaque: '{"id":"rs_1", "type":"reasoning","summary":[],"encrypted_content":"xyz=="}',
    provider: 'openai',
    model: MODEL,
  },
  [],
);

/** Returns the body of a front and these spans as text. */
export function bodyOf(encoder: Encoder, front: Front, spans: readonly Span[], envelope: Envelope = ENVELOPE): string {
  const lowered = encoder.lowerFront(front, LOWERING);
  const blocks: readonly Block[] = [...lowered.blocks, ...spans.flatMap((one) => encoder.lowerSpan(one, LOWERING))];
  return Buffer.from(encoder.join(lowered, sha256).write(blocks, [], envelope).body).toString();
}

export const SERVICE: Service = { name: 'somebody', title: 'Somebody' };
export const READING: AnswerReading = { service: SERVICE };

/** Returns the stream parts that these events produce. Does not call `end`. */
export function play(decoding: Decoding, events: readonly object[]): readonly StreamPart[] {
  return events.flatMap((event) => decoding.take(JSON.stringify(event)));
}
