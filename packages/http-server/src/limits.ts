// The limits of a server, with the reason for each default.

import { HttpServerError } from './errors.ts';

/** Limits of one server. All are whole numbers from 1 to 2,147,483,647; names in `Ms` are milliseconds. */
export interface ServerLimits {
  /** Bytes of one request body or one WebSocket message, over all its fragments. */
  readonly bodyBytes: number;
  /** Bytes of all bodies and messages that are held at one time. */
  readonly heldBytes: number;
  /** Open connections, WebSockets included. */
  readonly connections: number;
  /** Bytes of the request line and all headers of one request. */
  readonly headerBytes: number;
  /** Headers of one request. */
  readonly headerCount: number;
  /** Requests on one connection that have no complete answer yet (pipelining). */
  readonly pipelined: number;
  /** Time for the headers, from the connection or the first byte. */
  readonly headersMs: number;
  /** Time for headers and body. For a WebSocket message: one to two periods of this length. */
  readonly requestMs: number;
  /** Time between two requests of a connection. Node.js adds one second. */
  readonly idleMs: number;
  /** Time without progress while an answer waits for its client to read. A silent answer is not limited. */
  readonly stalledMs: number;
  /** Time between two pings of a WebSocket. A client that answers none of two pings is cut. */
  readonly pingMs: number;
  /** Time for a refused client to read the refusal while it still sends. What it sends is discarded. */
  readonly lingerMs: number;
  /** Time between two checks of `headersMs` and `requestMs`. */
  readonly checkMs: number;
}

const SECOND = 1_000;
const MIB = 1024 * 1024;

/** The defaults. */
export const DEFAULT_LIMITS: ServerLimits = {
  // Far above the JSON of a usual API. A server that takes more names its own limit.
  bodyBytes: MIB,
  // A small part of the memory of a usual machine. A server whose bodies are larger still takes several at a time.
  heldBytes: 128 * MIB,
  // More than a test suite with parallel clients opens, and below the usual limit of 1,024 open files.
  connections: 512,
  // The default of Node.js.
  headerBytes: 16 * 1024,
  // The official SDKs send about 25. Node.js drops headers above its own limit silently, so that one is off.
  headerCount: 100,
  // The official SDKs do not pipeline.
  pipelined: 16,
  // A client sends its headers at once. The default of Node.js is 60 seconds.
  headersMs: 10 * SECOND,
  // 32 MB in one minute is 4.3 Mbit/s.
  requestMs: 60 * SECOND,
  // The default of Node.js, which it announces to the client.
  idleMs: 5 * SECOND,
  // Longer than a client that is stopped in a debugger for a moment.
  stalledMs: 120 * SECOND,
  // A usual period: below the 60 seconds after which proxies cut a silent connection.
  pingMs: 30 * SECOND,
  // Enough to read a short answer on any network.
  lingerMs: 2 * SECOND,
  // With the default of Node.js, 30 seconds, a connection could live for 30 seconds longer than its limit.
  checkMs: SECOND,
};

const LARGEST = 2 ** 31 - 1;

/**
 * Returns the defaults with the given limits in their place.
 *
 * @throws HttpServerError `http-server/bad-options` for an unknown name or a value out of range.
 */
export function resolveLimits(limits: Partial<ServerLimits> = {}): ServerLimits {
  const merged = { ...DEFAULT_LIMITS, ...limits };
  for (const [name, value] of Object.entries(merged)) {
    if (!Object.hasOwn(DEFAULT_LIMITS, name)) {
      const known = Object.keys(DEFAULT_LIMITS).join(', ');
      throw new HttpServerError('http-server/bad-options', `There is no limit ${name}. The limits are: ${known}.`);
    }
    if (!Number.isSafeInteger(value) || value < 1 || value > LARGEST) {
      const message = `The limit ${name} is ${String(value)}. Give a whole number from 1 to ${LARGEST}.`;
      throw new HttpServerError('http-server/bad-options', message);
    }
  }
  if (merged.headersMs > merged.requestMs) {
    const message = `The limit headersMs (${merged.headersMs}) is above requestMs (${merged.requestMs}), which includes the headers. Lower it.`;
    throw new HttpServerError('http-server/bad-options', message);
  }
  return merged;
}
