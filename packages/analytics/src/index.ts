// Public exports of `@tidemark/analytics`: calls of many sessions as rows, and their sums.

export type { AnalyticsErrorCode } from './analytics-error.ts';
export { ANALYTICS_ERRORS, AnalyticsError } from './analytics-error.ts';
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
} from './audit.ts';
export { audit, callsOf } from './audit.ts';
export type { Advice, AdvisedChange, AdvisedEffect, AdviseOptions } from './advise.ts';
export { advise, isAdvised } from './advise.ts';
export type { FoundTranscript, FoundTranscripts, UnreadablePath } from './find-transcripts.ts';
export { findTranscripts } from './find-transcripts.ts';
export type { Projection } from './projection.ts';
export { openProjection } from './projection.ts';
export type { Updated, UpdateOptions, UpdateProgress, UnreadTranscript } from './update-projection.ts';
export { updateProjection } from './update-projection.ts';
