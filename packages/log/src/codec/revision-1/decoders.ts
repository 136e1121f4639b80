// Revision 1 of every payload. Never edited after a release: revision 2 is a new table and an upcaster.

import type { Kind } from '../../event.ts';
import { callDecoders } from './call.ts';
import { contextDecoders } from './context.ts';
import type { Decoders } from './decoder.ts';
import { sessionDecoders } from './session.ts';

/** One decoder for every kind, in the order of the design's table. */
export const DECODERS: Decoders = { ...sessionDecoders, ...contextDecoders, ...callDecoders };

const NAMES: ReadonlySet<string> = new Set(Object.keys(DECODERS));

/** Every kind of fact that this build knows. */
export const KINDS: readonly Kind[] = Object.keys(DECODERS).filter(isKind);

/** Whether this build knows a kind by that name. */
export function isKind(name: string): name is Kind {
  return NAMES.has(name);
}
