// The open connections of a server, with the requests on each that have no complete answer yet.

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** The connections of one server. */
export interface Connections {
  /** How many are open, WebSockets included. */
  count(): number;
  /** Adds a request. Returns how many its connection now has without a complete answer. */
  begin(incoming: IncomingMessage, outgoing: ServerResponse): number;
  /** Marks a connection as upgraded. */
  upgrade(stream: Duplex): void;
  /** Reports whether a request or a WebSocket lives on this connection. */
  inUse(stream: Duplex): boolean;
  /** Reports whether bytes written now would be read as part of an answer that was begun or is owed. */
  owesAnswer(stream: Duplex): boolean;
  /**
   * Closes connections that have had no request for this time, in milliseconds. Node.js counts the time between requests from
   * the latest byte, and an empty line is a byte that begins no request.
   */
  closeUnused(longest: number): void;
  /** Destroys every connection. Resolves when all are closed. */
  destroyAll(): Promise<void>;
}

interface ConnectionUse {
  readonly answers: Set<ServerResponse>;
  /** Since when there is no request, on the clock of `performance`. */
  unusedSince: number;
}

/** Follows the connections of a server from its start. */
export function trackConnections(server: Server): Connections {
  const open = new Map<Duplex, ConnectionUse>();
  const upgraded = new WeakSet<Duplex>();
  const answersOf = (stream: Duplex): ReadonlySet<ServerResponse> => open.get(stream)?.answers ?? new Set();
  const inUse = (stream: Duplex): boolean => upgraded.has(stream) || answersOf(stream).size > 0;
  server.on('connection', (socket) => {
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
