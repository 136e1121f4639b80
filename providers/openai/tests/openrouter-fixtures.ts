// Values that the tests of this room share.

import type { Block, Envelope, Front, Lowering, Marker, Part, Role, Span } from '@tidemark/model';
import { defaultCatalog, findModel } from '@tidemark/model';
import { loweringFor, PICTURE, sha256 } from '@tidemark/model/contract';
import { openrouterEncoder } from '../src/openrouter/encoder.ts';

export const MODEL = 'anthropic/claude-sonnet-5.5';
const row = findModel(defaultCatalog(), MODEL, 'openrouter');
const plain = loweringFor({ provider: 'openrouter', model: MODEL });
export const LOWERING: Lowering = { ...plain, capabilities: row ?? plain.capabilities };
export const ENVELOPE: Envelope = { outputLimit: 1_000, fields: { session_id: 'tm1.0' }, betas: [] };

const origin = { from: 'layer', layer: 'runtime', revision: '1' } as const;

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

/** One span of a message. */
export function span(role: Role, group: number, parts: readonly Part[], opensTurn = false): Span {
  const at = { from: 'event', session: 'session', position: group } as const;
  return { role, group, parts, opensTurn, ordinal: group, stability: 'session', origin: at };
}

export const said = (text: string): Part => ({ type: 'text', text });

export const result = (call: string, text: string): Part => ({
  type: 'result',
  call,
  error: false,
  content: [{ type: 'text', text }],
});

/** A prompt with a picture, an answer with reasoning and two calls, their results, and what was said then. */
export const HISTORY: readonly Span[] = [
  span('user', 0, [said('read both'), PICTURE], true),
  span('assistant', 1, [
    { type: 'reasoning', text: 'hm', opaque: '{"type":"thinking"}', provider: 'openrouter', model: MODEL },
    said('I read.'),
    { type: 'call', call: 'call_1', name: 'read', arguments: '{"path": "a"}' },
    { type: 'call', call: 'toolu|2', name: 'read', arguments: '' },
  ]),
  span('user', 2, [result('call_1', 'A')]),
  span('user', 2, [{ type: 'result', call: 'toolu|2', error: true, content: [PICTURE] }]),
  span('user', 3, [said('and?')], true),
  span('user', 3, [said('be brief')]),
];

/** All blocks of a front and of spans. */
export function blocksOf(front: Front, spans: readonly Span[]): readonly Block[] {
  const lowered = openrouterEncoder.lowerFront(front, LOWERING);
  return [...lowered.blocks, ...spans.flatMap((one) => openrouterEncoder.lowerSpan(one, LOWERING))];
}

/** The body of these spans. */
export function bodyOf(front: Front, spans: readonly Span[], markers: readonly Marker[] = []): Uint8Array {
  const writer = openrouterEncoder.join(openrouterEncoder.lowerFront(front, LOWERING), sha256);
  return writer.write(blocksOf(front, spans), markers, ENVELOPE).body;
}
