// Table of the payload decoders of revision 1. It is never edited after a release: revision 2 will be a new table with
// an upcaster.

import type { Kind } from '../../event.ts';
import { callDecoders } from './call.ts';
import { contextDecoders } from './context.ts';
import type { Decoders } from './decoder.ts';
import { observedDecoders } from './observed.ts';
import { sessionDecoders } from './session.ts';

/** One decoder for every kind. */
export const DECODERS: Decoders = { ...sessionDecoders, ...contextDecoders, ...callDecoders, ...observedDecoders };

const NAMES: ReadonlySet<string> = new Set(Object.keys(DECODERS));

/** All event kinds that this build knows. */
export const KINDS: readonly Kind[] = Object.keys(DECODERS).filter(isKind);

/** Checks if this build knows a kind with this name. */
export function isKind(name: string): name is Kind {
  return NAMES.has(name);
}
