// Public exports of the NDJSON store.

export type { CollectOptions, Collected, FileTally, UndoTally } from './collect-garbage.ts';
export { collectGarbage } from './collect-garbage.ts';
export type { FilePort, LogFile } from './file-port.ts';
export { nodeFiles } from './file-port.ts';
export type { NdjsonOptions, UndoLimits } from './home.ts';
export type { ArtifactInspection } from './inspect-artifacts.ts';
export { inspectArtifacts } from './inspect-artifacts.ts';
export type { Damage, InspectOptions, Inspection, MissingArtifact } from './inspect-session.ts';
export { inspectSession } from './inspect-session.ts';
export type { LostRecords, SessionRepair } from './repair-session.ts';
export { repairSession } from './repair-session.ts';
export type { NdjsonStore } from './store.ts';
export { openNdjsonStore } from './store.ts';
