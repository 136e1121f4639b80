// Public exports of `http-server`, a server whose clients are not trusted.

export type { HttpServerErrorCode } from './errors.ts';
export { HttpServerError } from './errors.ts';
export type { ServerLimits } from './limits.ts';
export { DEFAULT_LIMITS } from './limits.ts';
export type { HttpServer, ServeRequest, ServerOptions, ServeUpgrade } from './open-server.ts';
export { openServer } from './open-server.ts';
export type { RefusalAnswer, RefusalForm, RefusalReason, ServerRefusal } from './refusal.ts';
export type { ServerSocket } from './web-socket.ts';
