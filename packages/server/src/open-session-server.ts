// Opens the server of sessions: the application behind a server whose clients are not trusted.

import type { Encoders, Secrets } from '@tidemark/agent';
import type { SessionProjection } from '@tidemark/analytics';
import type { HttpServer, ServerLimits } from '@tidemark/http-server';
import { DEFAULT_LIMITS, openServer } from '@tidemark/http-server';
import type { Log } from '@tidemark/log';
import type { FreshProjection } from './analytics/fresh-projection.ts';
import { createFreshProjection } from './analytics/fresh-projection.ts';
import { createAuthentication } from './app/authenticate.ts';
import { createApp } from './app/create-app.ts';
import { refusalAnswer } from './app/failure.ts';
import { ServerError } from './errors.ts';
import type { LiveSessions } from './live/live-sessions.ts';
import { createLiveSessions } from './live/live-sessions.ts';
import type { SessionOpener } from './ports.ts';

/** Options of a server of sessions. */
export interface SessionServerOptions {
  readonly log: Log;
  readonly opener: SessionOpener;
  /** Rows of the sessions for the analytics. The server closes it. */
  readonly projection: SessionProjection;
  /** Encoders that rebuild requests, for `why` and `verify`. Default: none, so these routes are refused. */
  readonly encoders?: Encoders;
  /**
   * Masks the secrets in the texts that a search shows, because a recorded value may have become a secret. Default: they
   * are shown as recorded.
   */
  readonly mask?: Secrets['mask'];
  /** Token that every request needs: at least 32 characters. */
  readonly token: string;
  /** Version that `/health` reports. */
  readonly version: string;
  /** Port to listen on. With 0, the system chooses a free port. */
  readonly port: number;
  /** Address to bind. Default: `127.0.0.1`. Another one than loopback needs `exposed`. */
  readonly host?: string;
  /** True to allow an address that other machines can reach. */
  readonly exposed?: boolean;
  /** Names that the `Host` header can contain in addition to the loopback names and the bound address. */
  readonly allowedHosts?: readonly string[];
  /** Time after which an idle session is closed, so that another process can write it. Default: 60 s. */
  readonly idleMs?: number;
  readonly limits?: Partial<ServerLimits>;
  /** Called with each error that is a bug. Its text is not sent to the client. */
  readonly onBug?: (error: unknown) => void;
}

/** A server of sessions that is listening. */
export interface SessionServer {
  readonly url: string;
  readonly port: number;
  /** Returns the address of a page with a new code, which can be used once within ten minutes. */
  createLink(): string;
  /** Interrupts every turn, closes every session and frees the port. */
  close(): Promise<void>;
}

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost']);
const MIB = 1024 * 1024;
/** Part of the connections that can follow events. Commands use the others. */
const READERS = 0.75;

/**
 * Opens a server of sessions.
 *
 * @throws ServerError `server/bad-options` for a bad token, or for an address of the network without `exposed`.
 * @throws HttpServerError `http-server/bad-options`, `http-server/listen-failed`.
 */
export async function openSessionServer(options: SessionServerOptions): Promise<SessionServer> {
  const { log, opener, token, version, port, host = '127.0.0.1', exposed = false } = options;
  if (!LOOPBACK.has(host) && !exposed)
    throw new ServerError(
      'server/bad-options',
      `the address ${host} can be reached by other machines`,
      'allow it explicitly, or use 127.0.0.1; the server has no TLS, so put a proxy with TLS before it',
    );
  const now = (): number => Date.now();
  const authentication = createAuthentication(token, now);
  // Images of a prompt are larger than other bodies.
  const limits = { bodyBytes: 32 * MIB, connections: DEFAULT_LIMITS.connections, ...options.limits };
  const live = createLiveSessions({
    log,
    opener,
    idleMs: options.idleMs ?? 60_000,
    maxReaders: Math.max(1, Math.floor(limits.connections * READERS)),
  });
  const projection = createFreshProjection(options.projection);
  const app = createApp({
    log,
    live,
    encoders: options.encoders ?? (() => undefined),
    mask: options.mask ?? (async (text) => text),
    models: opener.models,
    restorer: opener.restorer,
    authentication,
    projection,
    version,
    now,
    onBug: options.onBug ?? (() => undefined),
  });
  const http = await openServer((request, bindings) => app.fetch(request, bindings), {
    port,
    host,
    allowedHosts: options.allowedHosts ?? [],
    limits,
    refusalForm: refusalAnswer,
  });
  return {
    url: http.url,
    port: http.port,
    createLink: () => `${http.url}/#code=${authentication.createCode()}`,
    close: () => closeAll(live, projection, http),
  };
}

/** Ends the turns first, so that readers still get the last records. */
async function closeAll(live: LiveSessions, projection: FreshProjection, http: HttpServer): Promise<void> {
  const ended = await Promise.allSettled([live.close(), projection.close()]);
  await http.close();
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
}
