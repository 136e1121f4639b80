// The face of `log`: what happened.

export type { CanonicalJson, Json } from './json.ts';
export { canonicalJson } from './json.ts';
export type { CallId, Chain, Digest, Money, Position, SessionId, Timestamp, TurnId } from './ids.ts';
export { CHAIN_START, callId, chain, digest, money, position, sessionId, timestamp, turnId } from './ids.ts';
export type {
  AnswerPart,
  CacheWrite,
  CallPart,
  ContentPart,
  FilePart,
  ImagePart,
  NativePart,
  ReasoningPart,
  RenderParameters,
  TextPart,
  Usage,
} from './parts.ts';
export type {
  AnswerFailed,
  AnswerInterrupted,
  AnswerReceived,
  CallForecast,
  EffectClass,
  MarkerRecord,
  Miss,
  MissCause,
  PermissionDecided,
  RequestPrepared,
  SequenceRecord,
  Shaping,
  StopReason,
  ToolAbandoned,
  ToolEnded,
  ToolStarted,
} from './events/call.ts';
export type {
  BlockQuarantined,
  BranchSummarized,
  CompactionRefused,
  ContextNoted,
  EpochCause,
  EpochForecast,
  EpochOpened,
  HistoryCompacted,
  HistoryPruned,
  LayerRecord,
  NotificationReceived,
  PressureCrossed,
  PromptGiven,
  Range,
  ReasoningChanged,
  SkillLoaded,
  ToolRecord,
  ToolsChanged,
} from './events/context.ts';
export type {
  ForeignRecorded,
  MemoryChanged,
  ModeChanged,
  Parent,
  SessionCreated,
  SubagentEnded,
  SubagentStarted,
  TurnBegan,
  TurnEnded,
} from './events/session.ts';
export type { Event, EventData, EventOf, Kind, Placed, Recorded, RecordedOf, RecordedUnknown } from './event.ts';
export type { DamagePlace, LogErrorCode, LogErrorSort } from './errors.ts';
export { LOG_ERRORS, LogError } from './errors.ts';
export type {
  AbortSignalLike,
  Appended,
  Artifacts,
  Conflict,
  Log,
  LogWriter,
  SessionFilter,
  SessionSummary,
  Snapshot,
  UnreadableSession,
} from './port.ts';
