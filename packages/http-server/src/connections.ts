// Tracks the open connections of a server, and the requests on each connection that have no complete answer yet.

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** The connections of one server. */
export interface Connections {
  /** Returns the number of open connections, including WebSockets. */
  count(): number;
  /**
   * Adds a request. Returns the number of requests on its connection without a complete answer. This request is
   * included.
   */
  begin(incoming: IncomingMessage, outgoing: ServerResponse): number;
  /** Marks a connection as a WebSocket, so that it counts as used. */
  upgrade(stream: Duplex): void;
  /** True if the connection has a request in progress or is a WebSocket. */
  inUse(stream: Duplex): boolean;
  /**
   * True if an answer to the client has begun or is still expected. If bytes are written now, the client reads them as
   * part of that answer.
   */
  owesAnswer(stream: Duplex): boolean;
  /**
   * Closes connections that have had no request for `longest` milliseconds. The timeout of Node.js is not enough:
   * Node.js restarts its idle timer at every byte, even for an empty line that begins no request.
   */
  closeUnused(longest: number): void;
  /** Destroys every connection. Resolves when all connections are closed. */
  destroyAll(): Promise<void>;
}

interface ConnectionUse {
  readonly answers: Set<ServerResponse>;
  /** Value of `performance.now()` at the start of the connection or at the end of its last request. */
  unusedSince: number;
}

/**
 * Tracks all connections that the server accepts after this call, and limits their number. If `most` are open, a new
 * connection replaces the one that has waited longest for a complete request: it is idle, or its headers or its body are
 * incomplete. So clients that send half of a request cannot keep others out. If each connection is answering a request or
 * is a WebSocket, the new one is closed.
 */
export function trackConnections(server: Server, most: number): Connections {
  const open = new Map<Duplex, ConnectionUse>();
  const upgraded = new WeakSet<Duplex>();
  const answersOf = (stream: Duplex): ReadonlySet<ServerResponse> => open.get(stream)?.answers ?? new Set();
  const inUse = (stream: Duplex): boolean => upgraded.has(stream) || answersOf(stream).size > 0;
  const isReplaceable = (stream: Duplex): boolean =>
    !upgraded.has(stream) && [...answersOf(stream)].every(({ req }) => !req.complete);
  const makeRoom = (): boolean => {
    let oldest: readonly [stream: Duplex, since: number] | undefined;
    for (const [stream, { unusedSince }] of open)
      if (isReplaceable(stream) && unusedSince < (oldest?.[1] ?? Infinity)) oldest = [stream, unusedSince];
    if (oldest === undefined) return false;
    open.delete(oldest[0]);
    oldest[0].destroy();
    return true;
  };
  server.on('connection', (socket) => {
    if (open.size >= most && !makeRoom()) return void socket.destroy();
    open.set(socket, { answers: new Set(), unusedSince: performance.now() });
    socket.once('close', () => open.delete(socket));
  });
  return {
    count: () => open.size,
    begin({ socket }, outgoing) {
      const use = open.get(socket);
      use?.answers.add(outgoing);
      outgoing.once('close', () => {
        use?.answers.delete(outgoing);
        if (use !== undefined) use.unusedSince = performance.now();
      });
      return use?.answers.size ?? 1;
    },
    upgrade: (stream) => void upgraded.add(stream),
    inUse,
    owesAnswer: (stream) => [...answersOf(stream)].some(({ req, headersSent }) => req.complete || headersSent),
    closeUnused(longest) {
      const now = performance.now();
      for (const [stream, { unusedSince }] of open) if (!inUse(stream) && now - unusedSince > longest) stream.destroy();
    },
    async destroyAll() {
      await Promise.all(
        [...open.keys()].map((stream) => new Promise((resolve) => stream.once('close', resolve).destroy())),
      );
    },
  };
}
