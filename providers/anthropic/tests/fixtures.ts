// Values that the tests of this room share.

import type { Block, Envelope, Front, Lowering, Part, Role, Span } from '@tidemark/model';
import { loweringFor } from '@tidemark/model/contract';

export const MODEL = 'claude-sonnet-5-5';
export const LOWERING: Lowering = loweringFor({ provider: 'anthropic', model: MODEL });
export const ENVELOPE: Envelope = { outputLimit: 1_000, fields: {}, betas: [] };

/** A front without anything. */
export const BARE: Front = { model: MODEL, parameters: {}, tools: [], system: [] };

/** One span of a message. */
export function span(role: Role, group: number, parts: readonly Part[], opensTurn = false): Span {
  const origin = { from: 'event', session: 'session', position: group } as const;
  return { role, group, parts, opensTurn, ordinal: group, stability: 'session', origin };
}

/** What blocks look like on the wire. */
export function wire(blocks: readonly Block[]): readonly unknown[] {
  return blocks.map(({ head, tail }): unknown => JSON.parse(head + tail));
}
