// Types that describe a server to the contract tests, and helpers that send requests to it.

import type { ServerLimits } from '../src/limits.ts';
import { dial, statusOf } from './raw-client.ts';
import type { RawClient } from './raw-client.ts';

/** Path, headers and body of a request that a kind of server accepts. */
export interface RequestParts {
  readonly path: string;
  /** All headers except `host`, `content-length` and `transfer-encoding`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Options with which the contract tests open a server. */
export interface SubjectOptions {
  readonly limits?: Partial<ServerLimits>;
  readonly allowedHosts?: readonly string[];
}

/** A running server under test, with functions that change its next answer. */
export interface OpenSubject {
  readonly port: number;
  connections(): number;
  close(): Promise<void>;
  /** Makes the next answer start and then send no more data. */
  silence(): void;
  /** Makes the next answer at least `bytes` bytes long. */
  lengthen(bytes: number): void;
}

/** A kind of server, with the requests that the contract tests send to it. */
export interface ServerSubject {
  readonly name: string;
  open(options: SubjectOptions): Promise<OpenSubject>;
  /** A POST request that the server answers with 200. */
  readonly request: RequestParts;
  /** A WebSocket upgrade that the server accepts, and a message that it answers. */
  readonly webSocket: Omit<RequestParts, 'body'> & { readonly message: string };
}

/**
 * Returns the text of a POST request. `own` contains additional headers. They replace headers of `RequestParts` with
 * the same name.
 */
export function requestText(
  { path, headers, body }: RequestParts,
  own: Readonly<Record<string, string>>,
  version = '1.1',
): string {
  const all = { ...headers, ...own };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/${version}\r\n${lines.join('')}\r\n${body}`;
}

/** Returns the headers that a usual client adds: `host` and `content-length`. */
export function usualHeaders(port: number, body: string): Readonly<Record<string, string>> {
  return { host: `127.0.0.1:${port}`, 'content-length': String(Buffer.byteLength(body)) };
}

/**
 * Sends a usual request on a new connection. Returns the status of the answer, or `undefined` if there is no answer.
 */
export async function post(port: number, request: RequestParts): Promise<number | undefined> {
  const client = await dial(port);
  client.send(requestText(request, { ...usualHeaders(port, request.body), connection: 'close' }));
  return statusOf(await client.ended);
}

/**
 * Opens a connection, sends a WebSocket upgrade, and returns the connection. `own` contains additional headers. With
 * `stays`, the client does not close its side when the server closes its own side.
 */
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
