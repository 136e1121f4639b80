// One WebSocket connection to the Responses API. The official SDK opens it with the address and the key. Frames are
// sent and received as raw text, because parsing would change the bytes of encrypted reasoning.

import type { SdkSetup, Service } from '@tidemark/provider-wire';
import { connectionError, oversized, redirected } from '@tidemark/provider-wire';
import type { Socket } from 'node:net';
import type { OpenAI } from 'openai';
import { ResponsesWS } from 'openai/resources/responses/ws';
import type { WebSocket } from 'ws';
import { sortFailure } from '../decode/failure.ts';
import type { ConnectionOpening, ProviderConnection } from './provider-connection.ts';
import { NotReached } from './provider-connection.ts';
import { sortError } from './sdk-errors.ts';

interface ConnectionPlace extends Pick<SdkSetup, 'service' | 'hide' | 'reach' | 'headers'> {
  readonly client: OpenAI;
}

/**
 * Opens a connection.
 *
 * @throws NotReached when no connection is made; ProviderError `provider/authentication` or `provider/permission` when
 *   the key is refused; ProviderError `provider/address` when the server redirects the upgrade.
 */
export async function connect(
  place: ConnectionPlace,
  { betas, patienceMs, signal, limits }: ConnectionOpening,
): Promise<ProviderConnection> {
  const headers = { ...place.headers, ...(betas !== '' && { 'openai-beta': betas }) };
  const session = new ResponsesWS(place.client, {
    headers,
    handshakeTimeout: patienceMs,
    maxPayload: limits.eventBytes,
    followRedirects: false,
  });
  // Errors are handled on the socket itself. Without this listener, the SDK would reject a promise that has no handler.
  session.on('error', () => undefined);
  const socket = session.socket.platformSocket;
  const stop = (): void => socket.terminate();
  signal.addEventListener('abort', stop, { once: true });
  const inbox = createInbox(socket, () => oversized(place.service, `a frame of more than ${limits.eventBytes} bytes`));
  try {
    const wire = await awaitOpen(socket, place);
    return asConnection(socket, wire, inbox, betas);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function awaitOpen(socket: WebSocket, place: ConnectionPlace): Promise<Socket | undefined> {
  const { service, reach } = place;
  return new Promise((resolve, reject) => {
    let wire: Socket | undefined;
    socket.once('upgrade', (response) => {
      wire = response.socket;
    });
    socket.once('open', () => {
      reach.answered = true;
      resolve(wire);
    });
    socket.once('error', (error) => {
      const known = connectionError(service, error, reach) ?? error;
      reject(new NotReached('unreachable', sortError(place, known, 'asking')));
    });
    socket.once('unexpected-response', (request, { statusCode = 0, headers: { location = null } }) => {
      reject(isRedirect(statusCode) ? redirected(service, location, socket.url) : refusedWith(service, statusCode));
      request.destroy();
    });
  });
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

/** Statuses of servers that do not support WebSockets. */
const NO_SOCKETS: readonly number[] = [404, 405, 426, 501];

function refusedWith(service: Service, status: number): Error {
  const error = sortFailure(service, { status, message: 'the connection was not upgraded to a WebSocket' });
  if (error.code === 'provider/authentication' || error.code === 'provider/permission') return error;
  return new NotReached('refused', error, NO_SOCKETS.includes(status));
}

function asConnection(socket: WebSocket, wire: Socket | undefined, inbox: Inbox, betas: string): ProviderConnection {
  return {
    betas,
    remembers: undefined,
    isOpen: () => socket.readyState === socket.OPEN,
    send: (frame) => socket.send(frame, () => undefined),
    next: inbox.next,
    hold(held) {
      if (held) wire?.ref();
      else wire?.unref();
    },
    close: () => socket.terminate(),
  };
}

interface Inbox {
  next(): Promise<string | undefined>;
}

/** Maximum number of unread frames. At this number, reading from the socket pauses, so the server must wait. */
const MAX_UNREAD_FRAMES = 64;

function createInbox(socket: WebSocket, tooLarge: () => Error): Inbox {
  const frames: string[] = [];
  let wake = (): void => undefined;
  let failure: Error | undefined;
  socket.on('message', (data: Buffer) => {
    frames.push(data.toString());
    if (frames.length >= MAX_UNREAD_FRAMES) socket.pause();
    wake();
  });
  socket.on('error', (error) => {
    if ('code' in error && error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') failure = tooLarge();
    // `terminate` closes the socket immediately. Without it, the library would wait half a minute for the server to
    // close the connection. During that time it would read more data.
    if (socket.readyState !== socket.CONNECTING) socket.terminate();
  });
  socket.once('close', () => wake());
  return {
    async next() {
      while (frames.length === 0 && socket.readyState !== socket.CLOSED) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        await promise;
      }
      const frame = frames.shift();
      if (frame === undefined && failure !== undefined) throw failure;
      if (socket.isPaused && frames.length < MAX_UNREAD_FRAMES) socket.resume();
      return frame;
    },
  };
}
