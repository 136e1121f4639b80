// What every door of the port needs: who knocks, when an answer begins, and the number of a request.

import { createHash } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { OpenAICore } from '../openai/memory.ts';
import type { Fault, ErrorFault } from '../core/faults.ts';
import type { ServerResponse } from 'node:http';
import type { WireObject } from '../core/wire.ts';

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

/**
 * A reply that is streamed over a socket: its events one by one, and a fault that strikes between them. It is written to Node's
 * own response, because a `Response` can neither be cut nor fall silent.
 */
export interface StreamParts {
  /** The events of a reply, encoded. */
  readonly events: Iterable<string>;
  readonly fault: Fault | undefined;
  /** An event whose data is no JSON, in the wire's manner. */
  readonly malformed: string;
  /** The event with which a stream fails behind so many others. */
  readonly errorEvent: (fault: ErrorFault, sent: number) => string;
}

/** How a stream ends: by itself, by force, or not at all. */
export type StreamEnd = 'end' | 'cut' | 'silence';

/** Writes all events of a reply, each flushed before the next. Returns when nothing more will be written. */
export async function writeStream(outgoing: ServerResponse, parts: StreamParts): Promise<void> {
  outgoing.flushHeaders();
  const pieces = piecesOf(parts);
  let next = pieces.next();
  while (next.done !== true) {
    if (!(await write(outgoing, next.value))) return;
    next = pieces.next();
  }
  if (next.value === 'end') outgoing.end();
  if (next.value === 'cut') outgoing.destroy();
}

/** The body of a reply that is not streamed: broken where a stream would have a malformed event. */
export function wholeBody(body: WireObject, fault: Fault | undefined): string {
  const text = JSON.stringify(body);
  return fault?.kind === 'malformed-event' ? text.slice(0, text.length / 2) : text;
}

/** False when the client has gone. */
function write(outgoing: ServerResponse, piece: string): Promise<boolean> {
  return new Promise((resolve) => {
    outgoing.write(piece, (error) => resolve(error === undefined || error === null));
  });
}

/** What goes out of a reply, piece by piece, and how that ends. A fault may strike behind the last event as well. */
export function* piecesOf(parts: StreamParts): Generator<string, StreamEnd> {
  const after = strikesAfter(parts.fault);
  let sent = 0;
  for (const event of parts.events) {
    const end = sent === after ? yield* strike(parts, sent) : undefined;
    if (end !== undefined) return end;
    yield event;
    sent += 1;
  }
  return (sent === after ? yield* strike(parts, sent) : undefined) ?? 'end';
}

/** What the fault adds to the stream, and how it ends it, if it does. */
function* strike(
  { fault, malformed, errorEvent }: StreamParts,
  sent: number,
): Generator<string, StreamEnd | undefined> {
  switch (fault?.kind) {
    case 'cut':
    case 'silence':
      return fault.kind;
    case 'error-event':
      yield errorEvent(fault, sent);
      return 'end';
    case 'malformed-event':
      yield malformed;
      return undefined;
    default:
      return undefined;
  }
}

function strikesAfter(fault: Fault | undefined): number | undefined {
  switch (fault?.kind) {
    case 'cut':
    case 'error-event':
    case 'malformed-event':
      return fault.afterEvents;
    case 'silence':
      return fault.afterEvents ?? 0;
    default:
      return undefined;
  }
}
