// Test client that can send any bytes to a server.

import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';

/** One connection to the server under test. */
export interface RawClient {
  readonly socket: Socket;
  send(bytes: string | Uint8Array): void;
  /** Resolves with all received data when the data matches a pattern or when the connection is closed. */
  until(pattern: RegExp): Promise<string>;
  /** Resolves with all received data when the connection is closed for any reason. */
  readonly ended: Promise<string>;
  closed(): boolean;
}

/**
 * Opens a connection to a port on loopback. With `stays`, the client does not close its side when the server closes its
 * own side.
 */
export async function dial(port: number, stays = false): Promise<RawClient> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: stays });
  let received = '';
  let watch: () => void = () => undefined;
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1');
    watch();
  });
  const ended = new Promise<string>((resolve) => {
    socket.once('close', () => {
      resolve(received);
      watch();
    });
  });
  await Promise.race([once(socket, 'connect').catch(() => undefined), ended]);
  return {
    socket,
    send: (bytes) => void socket.write(bytes),
    until: (pattern) =>
      new Promise((resolve) => {
        watch = () => {
          if (pattern.test(received) || socket.destroyed) resolve(received);
        };
        watch();
      }),
    ended,
    closed: () => socket.destroyed,
  };
}

/** Returns the status of the first answer in the received data, or `undefined` if there is no answer. */
export function statusOf(received: string): number | undefined {
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(received)?.[1];
  return status === undefined ? undefined : Number(status);
}

/** Writes a piece again and again, as fast as the server reads, until the connection is closed. */
export function sendEndlessly({ socket }: RawClient, piece: string | Uint8Array): void {
  const write = (): void => {
    while (!socket.destroyed && socket.writable) if (!socket.write(piece)) return;
  };
  socket.on('drain', write);
  write();
}
