// Requests that the server refuses before the application sees them, and how the refusal is written.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** Why a request is refused. */
export type RefusalReason =
  | 'body-too-large'
  | 'busy'
  | 'encoding'
  | 'failed'
  | 'headers-too-large'
  | 'host'
  | 'malformed'
  | 'no-upgrade'
  | 'origin'
  | 'timeout';

/** A refused request. */
export interface ServerRefusal {
  readonly reason: RefusalReason;
  readonly status: number;
  /** What is wrong and what to do, without a secret of the client. */
  readonly message: string;
}

/** The answer that carries a refusal. */
export interface RefusalAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Writes a refusal in the form of an API. `path` is `undefined` where the request could not be parsed. */
export type RefusalForm = (refusal: ServerRefusal, path: string | undefined) => RefusalAnswer;

/** The form of a server that names no other: `{"error":{"code","message"}}`. */
export function plainForm({ reason, status, message }: ServerRefusal): RefusalAnswer {
  const body = JSON.stringify({ error: { code: reason, message } });
  return { status, headers: { 'content-type': 'application/json' }, body };
}

/** Returns the path of a request target, without its query. */
export function pathOf(target = ''): string | undefined {
  const url = target.startsWith('/') ? `http://localhost${target}` : target;
  return URL.canParse(url) ? new URL(url).pathname : undefined;
}

/**
 * Answers a request with a refusal and closes the connection. A client that still sends its body could lose the answer if
 * the connection were reset at once, so its bytes are discarded for at most `lingerMs`.
 */
export function sendRefusal(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { status, headers, body }: RefusalAnswer,
  lingerMs: number,
): void {
  const bytes = Buffer.byteLength(body);
  outgoing.writeHead(status, { ...headers, 'content-length': bytes, connection: 'close' });
  outgoing.write(body);
  if (incoming.readableEnded) return void outgoing.end();
  const timer = setTimeout(() => outgoing.end(), lingerMs);
  outgoing.once('close', () => clearTimeout(timer));
  incoming.once('end', () => outgoing.end());
  incoming.resume();
}

/** The same on a connection that has no HTTP response: one that wants an upgrade, or that sent no HTTP. */
export function endWithRefusal(stream: Duplex, { status, headers, body }: RefusalAnswer, lingerMs: number): void {
  const lines = Object.entries({ ...headers, 'content-length': String(Buffer.byteLength(body)), connection: 'close' });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const timer = setTimeout(() => stream.destroy(), lingerMs);
  stream.once('close', () => clearTimeout(timer));
  stream.once('end', () => stream.destroy());
  stream.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Refused'}\r\n${head}\r\n${body}`);
  stream.resume();
}
