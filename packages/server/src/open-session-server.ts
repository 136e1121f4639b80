// Opens the server of sessions: the application behind a server whose clients are not trusted.

import type { ServerLimits } from '@tidemark/http-server';
import { DEFAULT_LIMITS, openServer } from '@tidemark/http-server';

import { refusalAnswer } from './app/failure.ts';
import { ServerError } from './errors.ts';
import type { SessionAppOptions } from './open-session-app.ts';
import { openSessionApp } from './open-session-app.ts';

/** Options of a server of sessions. */
export interface SessionServerOptions extends Omit<SessionAppOptions, 'maxReaders'> {
  /** Port to listen on. With 0, the system chooses a free port. */
  readonly port: number;
  /** Address to bind. Default: `127.0.0.1`. Another one than loopback needs `exposed`. */
  readonly host?: string;
  /** True to allow an address that other machines can reach. */
  readonly exposed?: boolean;
  /** Names that the `Host` header can contain in addition to the loopback names and the bound address. */
  readonly allowedHosts?: readonly string[];
  readonly limits?: Partial<ServerLimits>;
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
  const { port, host = '127.0.0.1', exposed = false } = options;
  if (!LOOPBACK.has(host) && !exposed)
    throw new ServerError(
      'server/bad-options',
      `the address ${host} can be reached by other machines`,
      'allow it explicitly, or use 127.0.0.1; the server has no TLS, so put a proxy with TLS before it',
    );
  // Images of a prompt are larger than other bodies.
  const limits = { bodyBytes: 32 * MIB, connections: DEFAULT_LIMITS.connections, ...options.limits };
  const app = openSessionApp({ ...options, maxReaders: Math.max(1, Math.floor(limits.connections * READERS)) });
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
    createLink: () => `${http.url}/#code=${app.authentication.createCode()}`,
    async close() {
      try {
        await app.close();
      } finally {
        await http.close();
      }
    },
  };
}
