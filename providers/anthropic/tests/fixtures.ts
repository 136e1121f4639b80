// Values shared by the tests of this package.

import type { Block, Envelope, Front, Lowering, Part, Role, Span } from '@tidemark/model';
import { loweringFor } from '@tidemark/model/contract';

export const MODEL = 'claude-sonnet-5-5';
export const LOWERING: Lowering = loweringFor({ provider: 'anthropic', model: MODEL });
export const ENVELOPE: Envelope = { outputLimit: 1_000, fields: {}, betas: [] };

/** A front without parameters, tools or system texts. */
export const BARE: Front = { model: MODEL, parameters: {}, tools: [], system: [] };

/** Returns a span of one message: the given parts, with the given role and group number. */
export function span(role: Role, group: number, parts: readonly Part[], opensTurn = false): Span {
  const origin = { from: 'event', session: 'session', position: group } as const;
  return { role, group, parts, opensTurn, ordinal: group, stability: 'session', origin };
}

/** Returns the blocks as parsed JSON, in the form that the API receives. */
export function wire(blocks: readonly Block[]): readonly unknown[] {
  return blocks.map(({ head, tail }): unknown => JSON.parse(head + tail));
}
