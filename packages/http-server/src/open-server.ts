// HTTP server whose clients are not trusted. Checks each request before the application receives it. Limits the data
// that a client can send, the memory that it can use, and the time for which it can keep a connection.

import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import type { HttpBindings } from '@hono/node-server';
import type { Connections } from './connections.ts';
import { trackConnections } from './connections.ts';
import { HttpServerError } from './errors.ts';
import type { AllowedHosts } from './hosts.ts';
import { allowHosts, checkHostNames } from './hosts.ts';
import type { ServerLimits } from './limits.ts';
import { resolveLimits } from './limits.ts';
import type { RefusalAnswer, RefusalForm, ServerRefusal } from './refusal.ts';
import { endWithRefusal, pathOf, plainForm, sendRefusal } from './refusal.ts';
import type { HeldBytes } from './request-body.ts';
import { createHeldBytes, readBody } from './request-body.ts';
import { refuseHead, tooLarge } from './request-head.ts';
import { refusalOfParser } from './parser-errors.ts';
import type { ServerSocket, WebSockets } from './web-socket.ts';
import { createWebSockets } from './web-socket.ts';

/**
 * Function of the application that answers requests, usually `app.fetch` of Hono. The bindings are the request and
 * response of Node.js.
 */
export type ServeRequest = (request: Request, bindings: HttpBindings) => Response | Promise<Response>;

/**
 * Decides about a WebSocket upgrade. To refuse, the function returns an HTTP answer. To accept, it returns a function
 * that receives the open WebSocket.
 */
export type ServeUpgrade = (request: IncomingMessage, path: string) => RefusalAnswer | ((socket: ServerSocket) => void);

/** Options for opening a server. */
export interface ServerOptions {
  /** Port to listen on. With 0, the system chooses a free port. */
  readonly port: number;
  /** Address to bind. The default is `127.0.0.1`. */
  readonly host?: string;
  /**
   * Names that the `Host` header can contain in addition to the loopback names and the bound address: `name` or
   * `name:port`.
   */
  readonly allowedHosts?: readonly string[];
  /** Limits that differ from `DEFAULT_LIMITS`. */
  readonly limits?: Partial<ServerLimits>;
  /** Function that formats refusals. The default is `plainForm`. */
  readonly refusalForm?: RefusalForm;
}

/** A server that is listening. */
export interface HttpServer {
  /**
   * Address of the server: `http://<host>:<port>`. The wildcard addresses `0.0.0.0` and `::` are replaced by
   * `127.0.0.1`.
   */
  readonly url: string;
  readonly port: number;
  /** Returns the number of open connections, including WebSockets. */
  connections(): number;
  webSockets(): number;
  /** Sets the handler of WebSocket upgrades. Without a handler, each upgrade is refused with 404. */
  onUpgrade(handler: ServeUpgrade): void;
  /** Closes all connections and frees the port. A second call waits for the first one to finish. */
  close(): Promise<void>;
}

interface Parts {
  readonly server: Server;
  readonly limits: ServerLimits;
  readonly held: HeldBytes;
  readonly connections: Connections;
  readonly sockets: WebSockets;
  readonly form: RefusalForm;
  /** Timer that regularly closes unused connections. */
  readonly sweep: NodeJS.Timeout;
  hosts: AllowedHosts;
  upgrade: ServeUpgrade | undefined;
}

/**
 * Opens a server.
 *
 * @throws HttpServerError `http-server/bad-options`; `http-server/listen-failed` when the server cannot listen on the
 *   port and the address.
 */
export async function openServer(serve: ServeRequest, options: ServerOptions): Promise<HttpServer> {
  const { port, host = '127.0.0.1', allowedHosts = [], refusalForm = plainForm } = options;
  const limits = resolveLimits(options.limits);
  checkHostNames(allowedHosts);
  const server = createNodeServer(limits);
  const held = createHeldBytes(limits.heldBytes);
  const connections = trackConnections(server, limits.connections);
  const sockets = createWebSockets(limits, held);
  const sweep = startSweep(connections, limits);
  const hosts = allowHosts({ host, port, allowed: allowedHosts });
  const form = refusalForm;
  const parts: Parts = { server, limits, held, connections, sockets, form, sweep, hosts, upgrade: undefined };
  attachRequests(parts, serve);
  attachUpgrades(parts);
  attachFailures(parts);
  const bound = await bind(server, host, port).catch((error: unknown) => {
    clearInterval(sweep);
    sockets.close();
    throw error;
  });
  parts.hosts = allowHosts({ host, port: bound, allowed: allowedHosts });
  return faceOf(parts, host, bound);
}

/** Time that Node.js waits in addition to `keepAliveTimeout`, in milliseconds. */
const KEEP_ALIVE_BUFFER = 1_000;

function startSweep(connections: Connections, { idleMs, headersMs, checkMs }: ServerLimits): NodeJS.Timeout {
  const longest = idleMs + KEEP_ALIVE_BUFFER + headersMs;
  return setInterval(() => connections.closeUnused(longest), checkMs).unref();
}

function faceOf(parts: Parts, host: string, port: number): HttpServer {
  const { connections, sockets } = parts;
  let closed: Promise<void> | undefined;
  return {
    url: `http://${nameOf(host)}:${port}`,
    port,
    connections: () => connections.count(),
    webSockets: () => sockets.count(),
    onUpgrade(handler) {
      parts.upgrade = handler;
    },
    close() {
      closed ??= closeAll(parts);
      return closed;
    },
  };
}

async function closeAll({ sweep, server, connections, sockets }: Parts): Promise<void> {
  const freed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  clearInterval(sweep);
  sockets.close();
  await connections.destroyAll();
  await freed;
}

function nameOf(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

function createNodeServer(limits: ServerLimits): Server {
  const server = createServer({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.idleMs,
    keepAliveTimeoutBuffer: KEEP_ALIVE_BUFFER,
    connectionsCheckingInterval: limits.checkMs,
    insecureHTTPParser: false,
    // `hosts.ts` checks the `Host` header instead, so that a refusal has the format of `refusalForm`.
    requireHostHeader: false,
    // The server ignores upgrades to any other protocol, as RFC 9110, section 7.8, allows. An example is h2c, which
    // Java's client offers.
    shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
  });
  // Node.js silently drops headers above its own limit, so that limit is off. `headerBytes` and `headerCount` apply
  // instead.
  server.maxHeadersCount = 0;
  return server;
}

function bind(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const message = `The server cannot listen on port ${port} of ${host}. Choose another port, or 0 for a free one.`;
      reject(new HttpServerError('http-server/listen-failed', message, cause));
    });
    server.listen(port, host, () => {
      server.removeAllListeners('error');
      // A failed accept, for example because of too many open files, affects only that connection and must not end the
      // process.
      server.on('error', () => undefined);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function attachRequests(parts: Parts, serve: ServeRequest): void {
  const { server } = parts;
  const answer = getRequestListener((request, bindings) => serve(request, onlyHttp1(bindings)), {
    overrideGlobalObjects: false,
  });
  const receive = (incoming: IncomingMessage, outgoing: ServerResponse, waits: boolean): void => {
    void admit(parts, incoming, outgoing, waits)
      .then((admitted) => (admitted ? answer(incoming, outgoing) : undefined))
      .catch(() => outgoing.destroy());
  };
  server.on('request', (incoming, outgoing) => receive(incoming, outgoing, false));
  server.on('checkContinue', (incoming, outgoing) => receive(incoming, outgoing, true));
  server.on('checkExpectation', (incoming, outgoing) => {
    parts.connections.begin(incoming, outgoing);
    sendRefusal(incoming, outgoing, parts.form(NO_EXPECTATION, pathOf(incoming.url)), parts.limits.lingerMs);
  });
}

type AnyBindings = Parameters<Parameters<typeof getRequestListener>[0]>[1];

function onlyHttp1({ incoming, outgoing }: AnyBindings): HttpBindings {
  if ('stream' in incoming || 'stream' in outgoing) throw new TypeError('This server supports only HTTP/1.1.');
  return { incoming, outgoing };
}

/**
 * Reads the body of a request, or refuses the request. Returns true if the application may answer the request. Returns
 * false if the request was refused or the client disconnected. The body is read here and not by the application, so
 * every route has the limit. The adapter of Hono takes the body from `rawBody`.
 */
async function admit(
  parts: Parts,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  waits: boolean,
): Promise<boolean> {
  const { connections, limits, hosts, held } = parts;
  if (connections.begin(incoming, outgoing) > limits.pipelined) {
    incoming.socket.destroy();
    return false;
  }
  const refuse = (refusal: ServerRefusal): false => {
    sendRefusal(incoming, outgoing, parts.form(refusal, pathOf(incoming.url)), limits.lingerMs);
    return false;
  };
  const refused = refuseHead(incoming, hosts, limits);
  if (refused !== undefined) return refuse(refused);
  if (waits) outgoing.writeContinue();
  const account = held.open();
  outgoing.once('close', () => account.release());
  const body = await readBody(incoming, limits.bodyBytes, account);
  if (body === 'gone') return false;
  if (typeof body === 'string') account.release();
  if (body === 'too-large') return refuse(tooLarge(limits.bodyBytes));
  if (body === 'busy') return refuse(BUSY);
  Object.assign(incoming, { rawBody: body });
  return true;
}

const BUSY: ServerRefusal = {
  reason: 'busy',
  status: 503,
  message: 'The server is holding too many request bodies. Send the request again later.',
};

const BROKEN: ServerRefusal = { reason: 'failed', status: 500, message: 'The server failed to answer the upgrade.' };

const NO_EXPECTATION: ServerRefusal = {
  reason: 'malformed',
  status: 417,
  message: 'The only supported expectation is 100-continue.',
};

const NO_UPGRADE: ServerRefusal = {
  reason: 'no-upgrade',
  status: 404,
  message: 'There is no WebSocket at this path.',
};

function attachUpgrades(parts: Parts): void {
  const { server, limits, sockets, connections } = parts;
  server.on('upgrade', (request, stream: Duplex, head) => {
    // Without a listener, a client that resets the connection would end the process.
    stream.on('error', () => stream.destroy());
    const path = pathOf(request.url) ?? '/';
    const outcome = decideUpgrade(parts, request, path);
    if (typeof outcome !== 'function') return endWithRefusal(stream, outcome, limits.lingerMs);
    connections.upgrade(stream);
    sockets.accept(request, stream, head, (socket) => {
      limitStalledWrites(stream, limits);
      outcome(socket);
    });
  });
}

/**
 * Returns a function that receives the open WebSocket, or an HTTP answer that refuses the upgrade. An error that the
 * upgrade handler throws becomes a refusal, so it does not end the process.
 */
function decideUpgrade(parts: Parts, request: IncomingMessage, path: string): ReturnType<ServeUpgrade> {
  const { limits, form, hosts, upgrade } = parts;
  const refused = refuseHead(request, hosts, limits);
  if (refused !== undefined) return form(refused, path);
  try {
    return upgrade?.(request, path) ?? form(NO_UPGRADE, path);
  } catch {
    return form(BROKEN, path);
  }
}

/** Closes a WebSocket whose client does not read the data sent to it for `stalledMs` milliseconds. */
function limitStalledWrites(stream: Duplex, { stalledMs }: ServerLimits): void {
  if (!(stream instanceof Socket)) return;
  stream.setTimeout(stalledMs, () => {
    if (stream.writableLength > 0) stream.destroy();
  });
}

function attachFailures(parts: Parts): void {
  const { server, limits, connections, form } = parts;
  const refused = new WeakSet<Duplex>();
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    // The bytes that caused this error are the rest of a request that was already refused.
    if (refused.has(stream)) return;
    if (error.code === 'ECONNRESET' || !stream.writable || connections.owesAnswer(stream)) {
      stream.destroy();
      return;
    }
    refused.add(stream);
    endWithRefusal(stream, form(refusalOfParser(error.code), undefined), limits.lingerMs);
  });
  // Node.js calls this function for a connection without progress. The connection is closed if it is idle between
  // requests, or if its client does not read the data sent to it. An answer that sends nothing for a long time is
  // allowed.
  server.setTimeout(limits.stalledMs, (socket) => {
    if (!connections.inUse(socket) || socket.writableLength > 0) socket.destroy();
  });
}
