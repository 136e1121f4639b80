// Public exports of `@tidemark/analytics`: calls of many sessions as rows, and their sums.

export type { AnalyticsErrorCode } from './database/analytics-error.ts';
export { ANALYTICS_ERRORS, AnalyticsError } from './database/analytics-error.ts';
export type {
  Audit,
  AuditCall,
  AuditCause,
  AuditDay,
  AuditFilter,
  AuditGroup,
  AuditScore,
  AuditSession,
  AuditSums,
} from './transcripts/audit.ts';
export { audit, callsOf } from './transcripts/audit.ts';
export type { Advice, AdvisedChange, AdvisedEffect, AdviseOptions } from './transcripts/advise.ts';
export { advise, isAdvised } from './transcripts/advise.ts';
export type { FoundTranscript, FoundTranscripts, UnreadablePath } from './transcripts/find-transcripts.ts';
export { findTranscripts } from './transcripts/find-transcripts.ts';
export type { Projection } from './transcripts/projection.ts';
export { openProjection } from './transcripts/projection.ts';
export type { Updated, UpdateOptions, UpdateProgress, UnreadTranscript } from './transcripts/update-projection.ts';
export { updateProjection } from './transcripts/update-projection.ts';
export type { SessionProjectionOptions } from './sessions/open-session-projection.ts';
export { openSessionProjection } from './sessions/open-session-projection.ts';
export type { RecordTexts } from './sessions/record-texts.ts';
export { recordTexts } from './sessions/record-texts.ts';
export type { SearchTerm, TextExcerpt } from './sessions/search-terms.ts';
export { excerptOf, parseSearch } from './sessions/search-terms.ts';
export type {
  Amount,
  BreakPage,
  BreakQuery,
  BreakReport,
  BreakSums,
  CacheSums,
  CallFilter,
  CallGrouping,
  CallPage,
  CallReport,
  ComparedSums,
  CostSums,
  Grouped,
  GroupOfCalls,
  PaidAgainSums,
  SessionListPage,
  SessionMatches,
  SessionProblem,
  SessionProjection,
  SessionQuery,
  SessionReport,
  SessionsUpdated,
  SessionUpdateOptions,
  SessionUpdateProgress,
  SkillReport,
  FoundSessions,
  MatchPlace,
  TextQuery,
} from './sessions/session-projection.ts';
