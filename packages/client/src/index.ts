// Public exports of `client`: requests to a server of sessions, and the events of a session.

export type { SessionClient, SessionClientOptions } from './session-client.ts';
export { answerOf, createSessionClient } from './session-client.ts';
export type { RefusalBody } from './request-error.ts';
export { RequestError } from './request-error.ts';
export type { FollowedEvent, FollowOptions } from './follow-session.ts';
export { followSession } from './follow-session.ts';
export type { components, operations, paths } from './generated/server-api.ts';
