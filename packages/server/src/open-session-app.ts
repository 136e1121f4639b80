// Opens the application of sessions: its routes over the sessions of a log, without a port. A server listens with it, and
// a worker gives it the commands that other servers stored.

import type { Encoders, Secrets } from '@tidemark/agent';
import type { SessionProjection } from '@tidemark/analytics';
import type { Log, SessionId } from '@tidemark/log';

import { createFreshProjection } from './analytics/fresh-projection.ts';
import type { Authentication } from './app/authenticate.ts';
import { createAuthentication } from './app/authenticate.ts';
import { createApp } from './app/create-app.ts';
import { createLiveSessions } from './live/live-sessions.ts';
import type { SessionOpener } from './ports.ts';

/** Options of the application of sessions. */
export interface SessionAppOptions {
  readonly log: Log;
  readonly opener: SessionOpener;
  /** Rows of the sessions for the analytics. The application closes it. */
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
  /** Time after which an idle session is closed, so that another process can write it. Default: 60 s. */
  readonly idleMs?: number;
  /** Maximum number of readers of all sessions together. Default: no limit. */
  readonly maxReaders?: number;
  /** Called with each error that is a bug. Its text is not sent to the client. */
  readonly onBug?: (error: unknown) => void;
}

/** The application of sessions. */
export interface SessionApp {
  /** Answers a request. Every path except the open ones needs the token. */
  fetch(request: Request, bindings?: object): Response | Promise<Response>;
  readonly authentication: Authentication;
  /** Returns the sessions that this application has open. */
  open(): readonly SessionId[];
  /**
   * Opens a session if needed. It is not closed before the function has ended.
   *
   * @throws LogError `log/missing`; `log/locked` if something else has the session open.
   */
  hold<Result>(id: SessionId, work: () => Promise<Result>): Promise<Result>;
  /** Interrupts every turn and closes every session. Readers still get the last records. */
  close(): Promise<void>;
}

/**
 * Opens the application.
 *
 * @throws ServerError `server/bad-options` for a bad token.
 */
export function openSessionApp(options: SessionAppOptions): SessionApp {
  const { log, opener, token, version } = options;
  const now = (): number => Date.now();
  const authentication = createAuthentication(token, now);
  const live = createLiveSessions({
    log,
    opener,
    idleMs: options.idleMs ?? 60_000,
    maxReaders: options.maxReaders ?? Infinity,
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
  return {
    fetch: (request, bindings) => app.fetch(request, bindings),
    authentication,
    open: live.open,
    hold: (id, work) => live.use(id, work),
    async close() {
      const ended = await Promise.allSettled([live.close(), projection.close()]);
      for (const one of ended) if (one.status === 'rejected') throw one.reason;
    },
  };
}
