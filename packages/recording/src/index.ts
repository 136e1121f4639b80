// Public exports of `@tidemark/recording`: import and replay of sessions that other programs recorded.

export type { FormatName } from './import/format/format.ts';
export type { ImportErrorCode, ImportPlace } from './import/format/import-error.ts';
export { IMPORT_ERRORS, ImportError } from './import/format/import-error.ts';
export type { BilledCalls } from './import/build/billed-calls.ts';
export type { Imported } from './import/import-into.ts';
export { importInto } from './import/import-into.ts';
export type {
  ClosedStep,
  EventsStep,
  ImportedRequests,
  ImportOutcome,
  ImportStep,
  SessionStep,
  SkippedLine,
} from './import/import-step.ts';
export type { ImportOptions, ImportSource, TranscriptFile } from './import/import-transcript.ts';
export { importTranscript, openTranscript } from './import/import-transcript.ts';
export type { OpenBytes } from './import/recognise.ts';
export { recogniseFormat } from './import/recognise.ts';
export type { AgentProgram, PlacesInput, TranscriptPlace } from './import/format/place.ts';
export type { StoredSession } from './import/opencode/stored-sessions.ts';
export { sessionPath, sessionsInDatabase } from './import/opencode/open-opencode.ts';
export { transcriptPlaces } from './import/transcript-places.ts';
export type { ReplayBreak, ReplayMiss } from './replay/account.ts';
export type { ReplayWarm } from './replay/drive.ts';
export type { DrivenCall, ReplayPruning, ReplaySettings, WarmCall } from './replay/driving.ts';
export type { RecordedCause, RecordedMiss } from './replay/recorded-account.ts';
export type { RecordedCall } from './replay/recorded-call.ts';
export type { ReplayOptions } from './replay/replay.ts';
export { replay, replayName } from './replay/replay.ts';
export type { ReplayResult, SizesTold } from './replay/result.ts';
export type { Server } from './replay/serve.ts';
