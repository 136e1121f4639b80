// What a server brings to the contract.

import type { ServerLimits } from '../src/limits.ts';
import { dial, statusOf } from './raw-client.ts';
import type { RawClient } from './raw-client.ts';

/** A request as its parts. */
export interface RequestParts {
  readonly path: string;
  /** All but `host`, `content-length` and `transfer-encoding`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What the contract opens a server with. */
export interface SubjectOptions {
  readonly limits?: Partial<ServerLimits>;
  readonly allowedHosts?: readonly string[];
}

/** A server under test. */
export interface OpenSubject {
  readonly port: number;
  connections(): number;
  close(): Promise<void>;
  /** Makes the next answer begin and then fall silent. */
  silence(): void;
  /** Makes the next answer as long as this, in bytes at least. */
  lengthen(bytes: number): void;
}

/** How a kind of server is tested. */
export interface ServerSubject {
  readonly name: string;
  open(options: SubjectOptions): Promise<OpenSubject>;
  /** A POST that is answered with 200. */
  readonly request: RequestParts;
  /** A WebSocket that is accepted, and a message that is answered. */
  readonly webSocket: Omit<RequestParts, 'body'> & { readonly message: string };
}

/** Writes a request with all its parts as they are given. */
export function requestText(
  { path, headers, body }: RequestParts,
  own: Readonly<Record<string, string>>,
  version = '1.1',
): string {
  const all = { ...headers, ...own };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/${version}\r\n${lines.join('')}\r\n${body}`;
}

/** The headers that a usual client adds. */
export function usualHeaders(port: number, body: string): Readonly<Record<string, string>> {
  return { host: `127.0.0.1:${port}`, 'content-length': String(Buffer.byteLength(body)) };
}

/** Makes a usual request on a connection of its own and returns the status. */
export async function post(port: number, request: RequestParts): Promise<number | undefined> {
  const client = await dial(port);
  client.send(requestText(request, { ...usualHeaders(port, request.body), connection: 'close' }));
  return statusOf(await client.ended);
}

/** Asks for an upgrade. `stays` as for `dial`. */
export async function upgrade(
  port: number,
  { path, headers }: Pick<RequestParts, 'path' | 'headers'>,
  own: Readonly<Record<string, string>> = {},
  stays = false,
): Promise<RawClient> {
  const client = await dial(port, stays);
  const all = {
    host: `127.0.0.1:${port}`,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': Buffer.from('0123456789abcdef').toString('base64'),
    ...headers,
    ...own,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  client.send(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  return client;
}
