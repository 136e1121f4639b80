// Values shared by the tests of OpenRouter's provider.

import type { Block, Envelope, Front, Lowering, Marker, Part, Span } from '@tidemark/model';
import { defaultCatalog, findModel } from '@tidemark/model';
import { loweringFor, PICTURE, sha256 } from '@tidemark/model/contract';
import { openrouterEncoder } from '../src/openrouter/encoder.ts';
import { FRONT as OPENAI_FRONT, historyOf } from './fixtures.ts';

export const MODEL = 'anthropic/claude-sonnet-5.5';
const row = findModel(defaultCatalog(), MODEL, 'openrouter');
const plain = loweringFor({ provider: 'openrouter', model: MODEL });
export const LOWERING: Lowering = { ...plain, capabilities: row ?? plain.capabilities };
export const ENVELOPE: Envelope = { outputLimit: 1_000, fields: { session_id: 'tm1.0' }, betas: [] };

/** A front with one tool and two system texts. */
export const FRONT: Front = { ...OPENAI_FRONT, model: MODEL };

export const result = (call: string, text: string): Part => ({
  type: 'result',
  call,
  error: false,
  content: [{ type: 'text', text }],
});

/** A history: a prompt with a picture, an answer with reasoning and two calls, their results, and a final text. */
export const HISTORY: readonly Span[] = historyOf(
  { type: 'reasoning', text: 'hm', opaque: '{"type":"thinking"}', provider: 'openrouter', model: MODEL },
  [PICTURE],
);

/** Returns all blocks of a front and of spans. */
export function blocksOf(front: Front, spans: readonly Span[]): readonly Block[] {
  const lowered = openrouterEncoder.lowerFront(front, LOWERING);
  return [...lowered.blocks, ...spans.flatMap((one) => openrouterEncoder.lowerSpan(one, LOWERING))];
}

/** Returns the request body for a front, these spans and these markers. */
export function bodyOf(front: Front, spans: readonly Span[], markers: readonly Marker[] = []): Uint8Array {
  const writer = openrouterEncoder.join(openrouterEncoder.lowerFront(front, LOWERING), sha256);
  return writer.write(blocksOf(front, spans), markers, ENVELOPE).body;
}
