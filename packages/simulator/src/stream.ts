// A reply on its way over a socket: events one by one, and the faults that strike in between. It writes to Node's own
// response, because a cut and a silence have no form in a `Response`.

import type { ServerResponse } from 'node:http';
import type { Fault } from './faults.ts';
import { messageOf } from './message.ts';
import type { Reply } from './message.ts';
import { encodeEvent, eventsOf } from './sse.ts';

/** What a stream needs to know. */
export interface StreamParts {
  readonly reply: Reply;
  readonly fault: Fault | undefined;
  readonly deltaCharacters: number;
  /** `req_…`, told in an error event. */
  readonly request: string;
}

/** How a stream ends: by itself, by force, or not at all. */
type End = 'end' | 'cut' | 'silence';

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
export function wholeBody(reply: Reply, fault: Fault | undefined): string {
  const text = JSON.stringify(messageOf(reply));
  return fault?.kind === 'malformed-event' ? text.slice(0, text.length / 2) : text;
}

/** False when the client has gone. */
function write(outgoing: ServerResponse, piece: string): Promise<boolean> {
  return new Promise((resolve) => {
    outgoing.write(piece, (error) => resolve(error === undefined || error === null));
  });
}

function* piecesOf(parts: StreamParts): Generator<string, End> {
  const { fault, reply, request, deltaCharacters } = parts;
  let sent = 0;
  for (const event of eventsOf(reply, deltaCharacters)) {
    if (sent === strikesAfter(fault)) {
      if (fault?.kind === 'cut' || fault?.kind === 'silence') return fault.kind;
      if (fault?.kind === 'malformed-event') yield MALFORMED;
      if (fault?.kind === 'error-event') yield errorEvent(fault.type, fault.message, request);
      if (fault?.kind === 'error-event') return 'end';
    }
    yield encodeEvent(event);
    sent += 1;
  }
  return 'end';
}

const MALFORMED = 'event: content_block_delta\ndata: {"type":"content_block_de\n\n';

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

function errorEvent(type = 'overloaded_error', message = 'Overloaded', request: string): string {
  const data = JSON.stringify({ type: 'error', error: { type, message }, request_id: request });
  return encodeEvent({ event: 'error', data });
}
