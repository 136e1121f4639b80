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
  /** Destroys every connection. Resolves when all are closed. */
  destroyAll(): Promise<void>;
}

/** Follows the connections of a server from its start. */
export function trackConnections(server: Server): Connections {
  const open = new Map<Duplex, Set<ServerResponse>>();
  const upgraded = new WeakSet<Duplex>();
  server.on('connection', (socket) => {
    open.set(socket, new Set());
    socket.once('close', () => open.delete(socket));
  });
  return {
    count: () => open.size,
    begin(incoming, outgoing) {
      const answers = open.get(incoming.socket) ?? new Set();
      answers.add(outgoing);
      outgoing.once('close', () => answers.delete(outgoing));
      return answers.size;
    },
    upgrade: (stream) => void upgraded.add(stream),
    inUse: (stream) => upgraded.has(stream) || (open.get(stream)?.size ?? 0) > 0,
    owesAnswer: (stream) => [...(open.get(stream) ?? [])].some(({ req, headersSent }) => req.complete || headersSent),
    async destroyAll() {
      await Promise.all(
        [...open.keys()].map((stream) => new Promise((resolve) => stream.once('close', resolve).destroy())),
      );
    },
  };
}
