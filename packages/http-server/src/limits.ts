// Limits of a server, with the reason for each default.

import { HttpServerError } from './errors.ts';

/**
 * Limits of one server. Each limit is a whole number from 1 to 2,147,483,647. Limits whose names end in `Ms` are in
 * milliseconds.
 */
export interface ServerLimits {
  /** Maximum number of bytes of one request body, or of one WebSocket message with all its fragments. */
  readonly bodyBytes: number;
  /** Maximum number of bytes of all bodies and messages that are in memory at the same time. */
  readonly heldBytes: number;
  /**
   * Maximum number of open connections, including WebSockets. Above it, a new connection replaces the one that has waited
   * longest for a complete request.
   */
  readonly connections: number;
  /** Maximum number of bytes of the request line and all headers of one request. */
  readonly headerBytes: number;
  /** Maximum number of headers of one request. */
  readonly headerCount: number;
  /** Maximum number of requests on one connection that have no complete answer yet (pipelining). */
  readonly pipelined: number;
  /**
   * Time limit for receiving the headers. It starts with the connection for its first request, and with the first byte
   * for each later request.
   */
  readonly headersMs: number;
  /**
   * Time limit for receiving headers and body. The ping timer checks this limit for WebSocket messages. So a message is
   * refused at the earliest after this time, and at the latest after this time plus twice `pingMs`.
   */
  readonly requestMs: number;
  /** Maximum time between two requests of a connection. Node.js adds one second. */
  readonly idleMs: number;
  /**
   * Maximum time without progress while the client does not read an answer. While the server itself has nothing to
   * send, there is no time limit.
   */
  readonly stalledMs: number;
  /** Time between two pings of a WebSocket. A client is disconnected after two consecutive pings without an answer. */
  readonly pingMs: number;
  /**
   * Wait after a refusal, so that a client can read it even if it is still sending. Data that arrives during this time
   * is discarded.
   */
  readonly lingerMs: number;
  /** Time between two checks of `headersMs` and `requestMs`. */
  readonly checkMs: number;
}

const SECOND = 1_000;
const MIB = 1024 * 1024;

/** Default limits of a server. */
export const DEFAULT_LIMITS: ServerLimits = {
  // Far above the JSON bodies of a usual API. A server that accepts larger bodies sets its own limit.
  bodyBytes: MIB,
  // A small part of the memory of a usual machine. A server with a larger body limit can still read several bodies at a
  // time.
  heldBytes: 128 * MIB,
  // More than a test suite with parallel clients opens, and below the usual limit of 1,024 open files.
  connections: 512,
  // The default of Node.js.
  headerBytes: 16 * 1024,
  // The official SDKs send about 25 headers. Node.js silently drops headers above its own limit, so that limit is
  // switched off.
  headerCount: 100,
  // The official SDKs do not pipeline.
  pipelined: 16,
  // A client sends all its headers together, so 10 seconds are enough. The default of Node.js is 60 seconds.
  headersMs: 10 * SECOND,
  // A body of 32 MB in one minute needs 4.3 Mbit/s.
  requestMs: 60 * SECOND,
  // The default of Node.js. Node.js announces this time to the client.
  idleMs: 5 * SECOND,
  // Longer than the pause of a client that is stopped in a debugger for a moment.
  stalledMs: 120 * SECOND,
  // A usual period. It is below the 60 seconds after which proxies cut a silent connection.
  pingMs: 30 * SECOND,
  // Long enough to read a short answer on any network.
  lingerMs: 2 * SECOND,
  // With the default of Node.js, 30 seconds, a connection could stay open for 30 seconds longer than its limit.
  checkMs: SECOND,
};

const LARGEST = 2 ** 31 - 1;

/**
 * Returns the default limits, with the given limits replacing their defaults.
 *
 * @throws HttpServerError `http-server/bad-options` for an unknown name, a value out of range, or `headersMs` above
 *   `requestMs`.
 */
export function resolveLimits(limits: Partial<ServerLimits> = {}): ServerLimits {
  const merged = { ...DEFAULT_LIMITS, ...limits };
  for (const [name, value] of Object.entries(merged)) {
    if (!Object.hasOwn(DEFAULT_LIMITS, name)) {
      const known = Object.keys(DEFAULT_LIMITS).join(', ');
      throw new HttpServerError('http-server/bad-options', `There is no limit ${name}. The limits are: ${known}.`);
    }
    if (!Number.isSafeInteger(value) || value < 1 || value > LARGEST) {
      const message = `The limit ${name} is ${String(value)}. Use a whole number from 1 to ${LARGEST}.`;
      throw new HttpServerError('http-server/bad-options', message);
    }
  }
  if (merged.headersMs > merged.requestMs) {
    const message = `The limit headersMs (${merged.headersMs}) is above requestMs (${merged.requestMs}), which includes the headers. Lower headersMs.`;
    throw new HttpServerError('http-server/bad-options', message);
  }
  return merged;
}
