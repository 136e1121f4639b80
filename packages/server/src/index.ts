// Public exports of `server`: sessions over HTTP.

export { newToken, SHORTEST_TOKEN } from './app/authenticate.ts';
export type { ServerErrorCode } from './errors.ts';
export { SERVER_ERRORS, ServerError } from './errors.ts';
export type { SessionApp, SessionAppOptions } from './open-session-app.ts';
export { openSessionApp } from './open-session-app.ts';
export type { SessionServer, SessionServerOptions } from './open-session-server.ts';
export { openSessionServer } from './open-session-server.ts';
export type {
  ChangedFileState,
  ChosenModel,
  FileRestorer,
  ModelNames,
  NewSession,
  OpenedSession,
  RestorableChanges,
  SessionOpener,
} from './ports.ts';
