// WebSockets of a server. Messages have a maximum size and are answered one after the other. Pings detect clients that
// have disconnected.

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { WebSocketServer } from 'ws';
import type { RawData, WebSocket } from 'ws';
import type { ServerLimits } from './limits.ts';
import type { HeldAccount, HeldBytes } from './request-body.ts';

/** An open WebSocket, as the application uses it. */
export interface ServerSocket {
  /**
   * Sends a text. Resolves when the operating system has accepted the text, or when the client has disconnected. A
   * sender that waits for the promise keeps only one text in memory.
   */
  send(text: string): Promise<void>;
  /** Closes the connection with a close handshake. */
  close(): void;
  /** Closes the connection at once, without a close handshake. */
  terminate(): void;
  /**
   * Sets the handler of messages. The handler returns a promise for each message. When this promise has settled, the
   * handler is called with the next message. If the promise rejects, the connection is closed. While messages are
   * waiting, no more data is read from the client.
   */
  onMessage(handler: (text: string) => Promise<void>): void;
}

/** The WebSockets of one server. */
export interface WebSockets {
  count(): number;
  /**
   * Completes the handshake and passes the open WebSocket to `opened`. An invalid handshake is answered with 400 (or
   * 405, 426), and `opened` is not called.
   */
  accept(request: IncomingMessage, stream: Duplex, head: Buffer, opened: (socket: ServerSocket) => void): void;
  close(): void;
}

/** Size of a client's control frame without its payload, in bytes: two bytes of header and four bytes of mask. */
const CONTROL_FRAME = 6;

interface TrackedSocket {
  readonly socket: WebSocket;
  readonly held: HeldAccount;
  readonly waiting: { readonly text: string; readonly bytes: number }[];
  handler: (text: string) => Promise<void>;
  answering: boolean;
  /** Bytes received after the latest complete message. */
  unfinished: number;
  /**
   * Number of runs of the ping timer during which the same message has been unfinished. The timer runs every `pingMs`
   * milliseconds.
   */
  unfinishedBeats: number;
  /** Number of runs of the ping timer since the latest byte from the client. */
  silentBeats: number;
}

/**
 * Number of consecutive unanswered pings after which a client is disconnected. A single missing answer can be caused by
 * a short delay of the server or the client.
 */
const MAX_UNANSWERED_PINGS = 2;

/** Creates the WebSockets of a server. Their messages count toward the same memory limit as request bodies. */
export function createWebSockets(limits: ServerLimits, heldBytes: HeldBytes): WebSockets {
  const server = new WebSocketServer({ noServer: true, maxPayload: limits.bodyBytes, perMessageDeflate: false });
  const connections = new Set<TrackedSocket>();
  const mostBeats = Math.ceil(limits.requestMs / limits.pingMs);
  const beatAll = (): void => {
    for (const connection of connections) beat(connection, mostBeats);
  };
  // If this process was blocked for a while, the bytes that arrived in the meantime are not read yet. `setImmediate`
  // delays `beatAll` until they are read.
  const timer = setInterval(() => setImmediate(beatAll), limits.pingMs);
  timer.unref();
  return {
    count: () => server.clients.size,
    accept(request, stream, head, opened) {
      server.handleUpgrade(request, stream, head, (socket) => {
        const connection = attend(socket, stream, heldBytes.open());
        connections.add(connection);
        socket.once('close', () => {
          connections.delete(connection);
          connection.waiting.length = 0;
          connection.held.release();
        });
        opened(faceOf(connection));
      });
    },
    close() {
      clearInterval(timer);
      for (const socket of server.clients) socket.terminate();
      server.close();
    },
  };
}

function attend(socket: WebSocket, stream: Duplex, held: HeldAccount): TrackedSocket {
  const connection: TrackedSocket = {
    socket,
    held,
    waiting: [],
    handler: async () => undefined,
    answering: false,
    unfinished: 0,
    unfinishedBeats: 0,
    silentBeats: 0,
  };
  // This listener must run before the listener of `ws`, so bytes are counted before the messages in them are delivered.
  stream.prependListener('data', (chunk: Buffer) => {
    connection.silentBeats = 0;
    connection.unfinished += chunk.length;
    if (!held.take(chunk.length)) socket.terminate();
  });
  const control = (data: Buffer): void => {
    const bytes = Math.min(connection.unfinished, CONTROL_FRAME + data.length);
    connection.unfinished -= bytes;
    held.release(bytes);
  };
  socket.on('ping', control);
  socket.on('pong', control);
  // `ws` has already begun to close the connection with the right code, for example 1009 for a message that is too
  // large.
  socket.on('error', () => undefined);
  socket.on('message', (data) => receive(connection, textOf(data)));
  return connection;
}

function receive(connection: TrackedSocket, text: string): void {
  const { waiting, socket, answering } = connection;
  waiting.push({ text, bytes: connection.unfinished });
  connection.unfinished = 0;
  connection.unfinishedBeats = 0;
  if (answering) return socket.pause();
  void answerAll(connection).catch(() => socket.terminate());
}

async function answerAll(connection: TrackedSocket): Promise<void> {
  const { waiting, socket, held } = connection;
  connection.answering = true;
  try {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      await connection.handler(next.text);
      held.release(next.bytes);
      // Lets other clients run between two messages of one client, even if that client sends quickly.
      await turnOfOthers();
      if (waiting.length === 0 && socket.isPaused) socket.resume();
    }
  } finally {
    connection.answering = false;
  }
}

/**
 * Handles one run of the ping timer for a connection: increments its counters, closes it if a counter is above its
 * limit, and otherwise sends a ping. A paused connection is skipped, because its answers to pings are not read.
 */
function beat(connection: TrackedSocket, mostBeats: number): void {
  const { socket, unfinished } = connection;
  if (socket.isPaused) return;
  connection.unfinishedBeats = unfinished === 0 ? 0 : connection.unfinishedBeats + 1;
  connection.silentBeats += 1;
  if (connection.silentBeats > MAX_UNANSWERED_PINGS || connection.unfinishedBeats > mostBeats)
    return socket.terminate();
  if (socket.readyState === socket.OPEN) socket.ping();
}

function faceOf(connection: TrackedSocket): ServerSocket {
  const { socket } = connection;
  return {
    send: (text) =>
      new Promise((resolve) => {
        socket.send(text, () => resolve());
      }),
    close: () => socket.close(),
    terminate: () => socket.terminate(),
    onMessage(handler) {
      connection.handler = handler;
    },
  };
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8');
  return Buffer.isBuffer(data) ? data.toString('utf8') : Buffer.from(data).toString('utf8');
}
