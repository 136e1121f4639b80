// Public exports of the `log` package.

export type {
  AbortSignalLike,
  AnswerPart,
  AnswerText,
  CacheWrite,
  CallPart,
  CanonicalJson,
  ImagePart,
  Json,
  NativePart,
  ReasoningPart,
  RenderParameters,
  StopReason,
  TextPart,
  Usage,
} from '@tidemark/core';
export { canonicalJson, canonicalText, DEEPEST_JSON, isTooDeep, parseJson } from '@tidemark/core';
export type { CallId, Chain, Digest, Money, Position, SessionId, Timestamp, TurnId } from './ids.ts';
export { CHAIN_START, callId, chain, digest, money, position, sessionId, timestamp, turnId } from './ids.ts';
export type { ContentPart, FilePart } from './parts.ts';
export type {
  AnswerFailed,
  AnswerInterrupted,
  AnswerReceived,
  BilledIn,
  CallForecast,
  ContinuationRecord,
  DiagnosisRecord,
  EstimatedUse,
  KeptPlace,
  KeptRecord,
  MarkerRecord,
  Miss,
  MissCause,
  RequestPrepared,
  SequenceRecord,
  SizeForecast,
} from './events/call.ts';
export type { ObservedMarker, RequestObserved } from './events/observed.ts';
export type {
  EffectClass,
  FileTouch,
  Granted,
  GrantedScript,
  PermissionDecided,
  Shaping,
  ShownBytes,
  ToolAbandoned,
  ToolCharged,
  ToolEnded,
  ToolStarted,
} from './events/tool.ts';
export type {
  BlockQuarantined,
  BranchSummarized,
  CompactionRefused,
  ContextNoted,
  EpochCause,
  EpochForecast,
  EpochOpened,
  FrontEdit,
  FrontEntry,
  HistoryCompacted,
  HistoryPruned,
  LayerRecord,
  NotificationReceived,
  PaddingReason,
  PaddingRecord,
  PaddingSetting,
  PressureCrossed,
  PromptGiven,
  PrunedResult,
  Range,
  ReasoningChanged,
  ReasoningSet,
  RoleChanged,
  SkillLoaded,
  ToolRecord,
  ToolsChanged,
} from './events/context.ts';
export type {
  AgentChosen,
  ForeignRecorded,
  ImportedFrom,
  MemoryChanged,
  ModeChanged,
  Parent,
  PromptDenied,
  SessionCreated,
  StartedAgent,
  StartedBy,
  ProcessEnded,
  ProcessStarted,
  SubagentEnded,
  SubagentStarted,
  TurnBegan,
  TurnEnded,
  TurnTotals,
} from './events/session.ts';
export type { SharedEntry } from './events/shared-entry.ts';
export type { Event, EventData, EventOf, Kind, Recorded, RecordedOf, RecordedUnknown } from './event.ts';
export { KINDS } from './codec/revision-1/decoders.ts';
export type { DamagePlace, LogErrorCode, LogErrorSort } from './errors.ts';
export { LOG_ERRORS, LogError } from './errors.ts';
export type {
  Appended,
  Artifacts,
  Conflict,
  LockedSession,
  Log,
  LogWriter,
  RawLines,
  RawSessions,
  ReceivedSession,
  SessionFilter,
  SessionSummary,
  SharedName,
  SharedTexts,
  UndoStore,
  Snapshot,
  UnreadableSession,
} from './port.ts';
export type { WarmFront } from './codec/warm-fronts.ts';
export type { WarmSession } from './codec/warm-families.ts';
export { decodeWarmFamilies, encodeWarmFamilies } from './codec/warm-families.ts';
export { decodeWarmFronts, encodeWarmFronts } from './codec/warm-fronts.ts';

// Exports for packages that implement a store.
export type { BytePort } from './codec/line.ts';
export type { EncodedRecords } from './codec/encode-records.ts';
export { encodeRecords } from './codec/encode-records.ts';
export type { LineFault, LineHead, SoundLine } from './codec/line.ts';
export { chainBehind, chainIn, checkLine, headOf, seal, writeHead } from './codec/line.ts';
export type { ReadFrom, RecordBatch, RecordReader } from './codec/read-records.ts';
export { createRecordReader, damaged, endlessLine, lostNewline } from './codec/read-records.ts';
export { holdsLostNewline } from './codec/find-records.ts';
export type { LostPlace, Salvaged, Salvager, Strayed } from './codec/salvage.ts';
export { createSalvager } from './codec/salvage.ts';
export { readBeginning, salvageBeginning } from './codec/read-beginning.ts';
export type { KeptSnapshot } from './codec/snapshot-file.ts';
export { decodeSnapshot, encodeSnapshot, snapshotPlace } from './codec/snapshot-file.ts';
export type { LineSplitter, RawLine } from './codec/split-lines.ts';
export { createLineSplitter, LONGEST_LINE } from './codec/split-lines.ts';
export type { Tip } from './codec/tip.ts';
export { EMPTY_TIP } from './codec/tip.ts';
export type { CheckedLines, LineRange } from './codec/read-lines.ts';
export { readLines } from './codec/read-lines.ts';
export type { ReceivedFork, ReceiverStorage } from './receive-session.ts';
export { otherParent, receiveSession } from './receive-session.ts';
export type { WriterStorage, WrittenSession } from './serial-writer.ts';
export { createSerialWriter } from './serial-writer.ts';
export type { SessionBeginning } from './beginning.ts';
export { checkBeginning, isSameParent } from './beginning.ts';
export { flatten } from './flatten.ts';
export { namedArtifacts } from './named-artifacts.ts';
export type { Lineage, LogSegment } from './lineage.ts';
export { diverged, lineageOf, readLineage } from './lineage.ts';
export type { SummaryExtra } from './summary.ts';
export { newestFirst, passes, summaryOf } from './summary.ts';
export { milliseconds } from './ids.ts';
