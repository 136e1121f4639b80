// A reply on its way over a socket: events one by one, and the faults that strike in between. It writes to Node's own
// response, because a cut and a silence have no form in a `Response`.

import type { ServerResponse } from 'node:http';
import type { Fault } from './faults.ts';
import type { WireObject } from './wire.ts';

/** What a stream needs to know. */
export interface StreamParts {
  /** The events of a reply, encoded. */
  readonly events: Iterable<string>;
  readonly fault: Fault | undefined;
  /** An event whose data is no JSON, in the wire's manner. */
  readonly malformed: string;
  /** The event with which a stream fails behind so many others. */
  readonly errorEvent: (fault: ErrorFault, sent: number) => string;
}

/** The fault that a stream tells. */
export type ErrorFault = Extract<Fault, { readonly kind: 'error-event' }>;

/** How a stream ends: by itself, by force, or not at all. */
export type End = 'end' | 'cut' | 'silence';

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

/** What goes out of a reply, piece by piece, and how that ends. */
export function* piecesOf(parts: StreamParts): Generator<string, End> {
  const { fault, events, malformed, errorEvent } = parts;
  let sent = 0;
  for (const event of events) {
    if (sent === strikesAfter(fault)) {
      if (fault?.kind === 'cut' || fault?.kind === 'silence') return fault.kind;
      if (fault?.kind === 'malformed-event') yield malformed;
      if (fault?.kind === 'error-event') yield errorEvent(fault, sent);
      if (fault?.kind === 'error-event') return 'end';
    }
    yield event;
    sent += 1;
  }
  return 'end';
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
