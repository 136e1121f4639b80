// Types of refusals, and functions that send them. The server refuses a request before the application receives it.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * Reason for refusing a request. `busy`: all bodies together would exceed `heldBytes`. `failed`: the upgrade handler
 * threw an error. `no-upgrade`: the server has no upgrade handler. The other names describe what is wrong with the
 * request.
 */
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

/** Refusal of a request: the reason, the HTTP status, and a message for the client. */
export interface ServerRefusal {
  readonly reason: RefusalReason;
  readonly status: number;
  /** Cause of the refusal and the next step. Never contains a secret of the client. */
  readonly message: string;
}

/** HTTP answer that reports a refusal. */
export interface RefusalAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Function that formats a refusal as an HTTP answer. `path` is `undefined` if the request could not be parsed. */
export type RefusalForm = (refusal: ServerRefusal, path: string | undefined) => RefusalAnswer;

/** Formats a refusal as `{"error":{"code","message"}}`. This is the default form. */
export function plainForm({ reason, status, message }: ServerRefusal): RefusalAnswer {
  const body = JSON.stringify({ error: { code: reason, message } });
  return { status, headers: { 'content-type': 'application/json' }, body };
}

/** Returns the path of a request target without its query, or `undefined` for an invalid target. */
export function pathOf(target = ''): string | undefined {
  const url = target.startsWith('/') ? `http://localhost${target}` : target;
  return URL.canParse(url) ? new URL(url).pathname : undefined;
}

/**
 * Answers a request with a refusal and closes the connection. A client can still be sending its body. If the connection
 * were closed immediately, this client could lose the answer. So the remaining bytes of the body are read and discarded
 * for at most `lingerMs` milliseconds.
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

/**
 * Sends a refusal on a connection that has no HTTP response object, because the client asked for an upgrade or did not
 * send valid HTTP. Remaining bytes are discarded for at most `lingerMs` milliseconds.
 */
export function endWithRefusal(stream: Duplex, { status, headers, body }: RefusalAnswer, lingerMs: number): void {
  const lines = Object.entries({ ...headers, 'content-length': String(Buffer.byteLength(body)), connection: 'close' });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const timer = setTimeout(() => stream.destroy(), lingerMs);
  stream.once('close', () => clearTimeout(timer));
  stream.once('end', () => stream.destroy());
  stream.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Refused'}\r\n${head}\r\n${body}`);
  stream.resume();
}
