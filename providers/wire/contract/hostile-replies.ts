// Replies of a broken or hostile server. Each reply is sent in pieces, so the server can stop writing when the client
// stops reading.

import { generateKeyPairSync, sign } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { createGzip } from 'node:zlib';
import type { Reply } from './socket-contract.ts';

const MIB = 1024 * 1024;
const PIECE = Buffer.alloc(64 * 1024, 'a');

/** Counter of the bytes that a reply has written. */
export interface Written {
  bytes: number;
}

interface Body {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly before?: string;
  readonly piece?: Uint8Array;
  /** Total number of bytes of all pieces. Endless by default. */
  readonly bytes?: number;
  readonly after?: string;
  readonly written?: Written;
}

/** Sends a body piece by piece, as fast as the client reads. */
export function sending({ status = 200, headers = {}, ...body }: Body): Reply {
  return (response) => {
    response.on('error', () => undefined);
    response.writeHead(status, { 'content-type': 'text/event-stream', ...headers });
    if (body.before !== undefined) response.write(body.before);
    pump(response, body);
  };
}

function pump(
  response: ServerResponse,
  { piece = PIECE, bytes = Infinity, after, written = { bytes: 0 } }: Omit<Body, 'status' | 'headers'>,
): void {
  const more = (): void => {
    while (written.bytes < bytes && !response.destroyed) {
      written.bytes += piece.length;
      if (!response.write(piece)) {
        response.once('drain', more);
        return;
      }
    }
    response.end(after);
  };
  more();
}

/** Sends the status and then one byte every 20 ms, without an end. */
export function dripping(status: number): Reply {
  return (response) => {
    response.writeHead(status, { 'content-type': 'text/plain' });
    const timer = setInterval(() => response.write('a'), 20);
    response.once('close', () => clearInterval(timer));
  };
}

/** Number of bytes of a gzip bomb before its compression. */
export const BOMB_BYTES: number = 4_096 * MIB;

/** Sends 4 GiB of blanks, compressed to about 4 MiB. `written` counts the blanks before their compression. */
export function gzipBomb(type: string, written?: Written): Reply {
  return (response) => {
    const count = written ?? { bytes: 0 };
    response.writeHead(200, { 'content-type': type, 'content-encoding': 'gzip' });
    const gzip = createGzip();
    gzip.pipe(response);
    response.once('close', () => gzip.destroy());
    const blanks = Buffer.alloc(MIB, ' ');
    const more = (): void => {
      while (count.bytes < BOMB_BYTES && !gzip.destroyed) {
        count.bytes += blanks.length;
        if (!gzip.write(blanks)) {
          gzip.once('drain', more);
          return;
        }
      }
      gzip.end();
    };
    more();
  };
}

export function manyHeaders(): Reply {
  return ({ socket }) => {
    const headers = Array.from({ length: 100_000 }, (_, index) => `x-header-${index}: value\r\n`);
    socket?.on('error', () => undefined);
    socket?.end(`HTTP/1.1 200 OK\r\n${headers.join('')}\r\n`);
  };
}

export function redirectTo(location: string, status = 307): Reply {
  return (response) => {
    response.writeHead(status, { location });
    response.end();
  };
}

/** Sends an HTML page with the given title. */
export function pageTitled(title: string, type = 'text/html'): Reply {
  return (response) => {
    response.writeHead(200, { 'content-type': type });
    response.end(`\n<!DOCTYPE html><html><head><title>${title}</title></head><body>Hello</body></html>`);
  };
}

/** Serves HTTPS with a self-signed certificate. Returns the address, and a function that stops the server. */
export async function serveSelfSigned(): Promise<{ readonly baseURL: string; close(): Promise<void> }> {
  const server = createServer(selfSigned(), (_request, response) => response.end('{}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { baseURL: `https://127.0.0.1:${port}`, close };
}

/** Returns a certificate of the smallest form (X.509 v1) with a newly generated key, so no key is stored in a file. */
function selfSigned(): { readonly key: string; readonly cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  // Object identifier of ecdsa-with-SHA256.
  const algorithm = der(0x30, der(0x06, Buffer.from('2a8648ce3d040302', 'hex')));
  const name = der(
    0x30,
    der(0x31, der(0x30, der(0x06, Buffer.from('550403', 'hex')), der(0x0c, Buffer.from('nobody')))),
  );
  const dates = der(0x30, der(0x17, Buffer.from('250101000000Z')), der(0x17, Buffer.from('450101000000Z')));
  const key = publicKey.export({ type: 'spki', format: 'der' });
  const content = der(0x30, der(0x02, Buffer.from([1])), algorithm, name, dates, name, key);
  const signature = sign('sha256', content, privateKey);
  const whole = der(0x30, content, algorithm, der(0x03, Buffer.from([0]), signature));
  const lines = whole.toString('base64').replaceAll(/.{64}/g, '$&\n');
  const label = 'CERTIFICATE-----\n';
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN ${label}${lines}\n-----END ${label}`,
  };
}

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  return Buffer.concat([Buffer.from([tag, 0x82, length >> 8, length & 0xff]), content]);
}
