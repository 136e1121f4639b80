// What every door of the port needs: who knocks, when an answer begins, and the number of a request.

import { createHash } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { OpenAICore } from '../openai/memory.ts';
import type { Fault } from '../core/faults.ts';

/** What a handler finds in its context: Node's own request and response. */
export interface DoorBindings {
  readonly Bindings: HttpBindings;
}

/** The context of one request. */
export type DoorContext = Context<DoorBindings>;

/** The port that is open. */
export interface SimulatorDoor {
  readonly core: OpenAICore;
  requests: number;
}

/** The id of the next request: `req_…`. */
export function nextRequest(door: SimulatorDoor): string {
  door.requests += 1;
  return `req_sim${String(door.requests).padStart(10, '0')}`;
}

/** A key is never kept: what isolates accounts is its digest. */
export function accountOf(key: string): string {
  return `key-${createHash('sha256').update(key).digest('hex').slice(0, 16)}`;
}

/** The time that a call brings on a virtual clock (`x-tidemark-at`, milliseconds since the epoch), if any. */
export function timeOf(core: OpenAICore, context: DoorContext): { readonly at?: number } {
  const at = core.clock.virtual ? context.req.header('x-tidemark-at') : undefined;
  return at === undefined ? {} : { at: Number(at) };
}

/** On a virtual clock the answer begins so much after the request; on a real one that time really passes. */
export function firstByteAt(core: OpenAICore, call: { readonly startedAt: number }): number {
  return core.clock.virtual ? call.startedAt + core.settings.firstByteMs : core.clock.now();
}

/** Real milliseconds until the first byte. */
export function waitOf(core: OpenAICore, fault: Fault | undefined): number {
  const own = core.clock.virtual ? 0 : core.settings.firstByteMs;
  return own + (fault?.kind === 'slow-first-byte' ? fault.ms : 0);
}
