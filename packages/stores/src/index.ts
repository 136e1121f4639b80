// Public exports of `stores`.

export type { MovedSession, MovePhase, MoveOptions, MovePlan, MoveResult } from './move-sessions.ts';
export { moveSessions, planMove } from './move-sessions.ts';
export type { OpenStore, StoreAddress } from './open-store-at.ts';
export { isDatabaseAddress, openStoreAt } from './open-store-at.ts';
