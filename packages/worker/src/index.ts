// Public exports of `worker`.

export type { HandedLog } from './hand-over.ts';
export { createHandedLog } from './hand-over.ts';
export type { TenantApp } from './run-command.ts';
export type { SessionWorker, SessionWorkerOptions } from './session-worker.ts';
export { startSessionWorker } from './session-worker.ts';
export type { WakeUp } from './wake-up.ts';
export { openWakeUp } from './wake-up.ts';
