// Sends one GET request to a checked address, and reads its answer up to a limit. It uses the HTTP client of Node,
// because its `lookup` option checks each address when the socket connects. It sends no cookies and no credentials, and
// it uses no proxy: a proxy would look up the name itself, so no address could be checked.

import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

import type { PrivateHosts } from '../address/allowed-hosts.ts';
import type { ResolveHost } from '../address/checked-lookup.ts';
import { checkedLookup, requireReachable } from '../address/checked-lookup.ts';
import { WebError } from '../web-error.ts';

/** Hosts that can be reached, and the resolver of host names. */
export interface NetworkReach {
  readonly allowed: PrivateHosts;
  readonly resolve: ResolveHost;
}

/** Answer to one request. */
export interface WebReply {
  readonly url: URL;
  readonly status: number;
  /** Value of the header `content-type`. Empty if it is missing. */
  readonly contentType: string;
  /** Value of the header `location` of a redirect. */
  readonly location?: string;
  /** Body after decompression, at most as long as the limit. */
  readonly body: Buffer;
  /** True if the body is longer than the limit. */
  readonly cut: boolean;
}

/** Markdown is preferred, because some servers of documentation can send it. */
const ACCEPT = 'text/markdown, text/html;q=0.9, application/json;q=0.8, text/*;q=0.7, */*;q=0.5';

const HEADERS = { accept: ACCEPT, 'accept-encoding': 'gzip, deflate, br', 'user-agent': 'Tidemark' };

/**
 * Sends a GET request and reads the answer.
 *
 * @throws WebError `web/private-address`, `web/unreachable`.
 * @throws the reason of the signal when it aborts.
 */
export async function exchange(
  url: URL,
  { allowed, resolve }: NetworkReach,
  { bytes, signal }: { readonly bytes: number; readonly signal: AbortSignal },
): Promise<WebReply> {
  requireReachable(url, allowed);
  try {
    const response = await respond(url, checkedLookup(url, allowed, resolve), signal);
    const { statusCode: status = 0, headers } = response;
    const { location } = headers;
    const contentType = headers['content-type'] ?? '';
    if (isRedirect(status) && location !== undefined) {
      response.destroy();
      return { url, status, contentType, location, body: Buffer.alloc(0), cut: false };
    }
    return { url, status, contentType, ...(await readBody(response, bytes)) };
  } catch (cause) {
    if (cause instanceof WebError) throw cause;
    signal.throwIfAborted();
    throw unreachable(url, cause);
  }
}

const NO_PROXY = { proxyEnv: {} };

function isRedirect(status: number): boolean {
  return status === 301 || status === 302 || status === 303 || status === 307 || status === 308;
}

function respond(url: URL, lookup: ReturnType<typeof checkedLookup>, signal: AbortSignal): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const isSecure = url.protocol === 'https:';
  // An agent of its own closes the connection afterwards. Without variables it uses no proxy, in Deno too.
  const agent = isSecure ? new HttpsAgent(NO_PROXY) : new HttpAgent(NO_PROXY);
  const send = isSecure ? requestHttps : requestHttp;
  const sent = send(url, { agent, lookup, signal, headers: HEADERS, maxHeaderSize: 65_536 }, resolve);
  sent.on('error', reject);
  sent.end();
  return promise;
}

async function readBody(response: IncomingMessage, limit: number): Promise<Pick<WebReply, 'body' | 'cut'>> {
  const parts: Buffer[] = [];
  let room = limit;
  try {
    for await (const part of decompress(response)) {
      const chunk: Uint8Array = part;
      parts.push(Buffer.from(chunk.subarray(0, room)));
      if (chunk.length > room) return { body: Buffer.concat(parts), cut: true };
      room -= chunk.length;
    }
    return { body: Buffer.concat(parts), cut: false };
  } finally {
    // The rest of a long answer is neither received nor decompressed.
    response.destroy();
  }
}

function decompress(response: IncomingMessage): Readable {
  const coding = (response.headers['content-encoding'] ?? '').trim().toLowerCase();
  const decoder = decoderOf(coding);
  if (decoder === undefined) return response;
  response.on('error', (error) => decoder.destroy(error));
  return response.pipe(decoder);
}

function decoderOf(coding: string): ReturnType<typeof createGunzip> | undefined {
  switch (coding) {
    case '':
    case 'identity':
      return undefined;
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
  }
  throw new WebError(
    'web/not-text',
    `The answer has the content encoding ${JSON.stringify(coding.slice(0, 50))}, which cannot be read. Use another address.`,
  );
}

function unreachable({ host }: URL, cause: unknown): WebError {
  const reason = cause instanceof Error ? reasonOf(cause) : String(cause);
  return new WebError(
    'web/unreachable',
    `${host} could not be reached: ${reason}. Check the address, or call again later.`,
    { host },
    cause,
  );
}

/** Returns the reason of a failed connection. With several addresses, Node reports one error for each of them. */
function reasonOf(error: Error): string {
  const [first] = error instanceof AggregateError ? error.errors : [];
  const text = first instanceof Error ? first.message : error.message;
  return text === '' ? error.name : text;
}
