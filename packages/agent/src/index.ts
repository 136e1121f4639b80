// Public API of `agent`: sessions and turns, recovery, permissions and the ports.

export type { LiveSessionOptions } from './actor/open-live-session.ts';
export { openLiveSession } from './actor/open-live-session.ts';
export type { AccountedSession, AccountOptions, Accounts, PartlyRead } from './audit/account-sessions.ts';
export { addSession, NO_ACCOUNTS } from './audit/account-sessions.ts';
export type { CallReader, CallReaderOptions, CallReaderState, RowLoader } from './audit/call-reader.ts';
export { createCallReader, createRowLoader } from './audit/call-reader.ts';
export type { Explained, Explanation, UntoldReads } from './audit/explain.ts';
export { explainSession } from './audit/explain.ts';
export { SORTED_JSON, sortedJson } from './audit/observed-json.ts';
export type { ObservedReader, ObservedRequest, ObservedStep } from './audit/observed-requests.ts';
export { createObservedReader, readObservedStep } from './audit/observed-requests.ts';
export type { Encoders, RebuildOptions, RebuildStep, Rebuilt, RequestAt, Verification } from './audit/rebuild.ts';
export { rebuildRequest, rebuildSession, verifySession } from './audit/rebuild.ts';
export type { RequestSnapshot } from './audit/request-snapshots.ts';
export { requestSnapshots, SNAPSHOTS_KEPT } from './audit/request-snapshots.ts';
export type { SessionSkills, SkillUse } from './audit/skill-use.ts';
export { addSkillUse, readSkillUse } from './audit/skill-use.ts';
export { extendsSequence } from './audit/extends-sequence.ts';
export type { ObservedDifference, ObservedVerification } from './audit/verify-observed.ts';
export { isBreak } from './audit/verify-observed.ts';
export type { DifferenceExcerpt } from './audit/explain-observed.ts';
export { excerptOf } from './audit/explain-observed.ts';
export type { Compacting, FreshOrder, FreshStart } from './compact/compact-session.ts';
export { compactSession, startAfresh } from './compact/compact-session.ts';
export type { CompactionOrder } from './compact/write-compaction.ts';
export type { Warmth } from './decide/warmth.ts';
export { lastingOf, planWarmth } from './decide/warmth.ts';
export type { AgentErrorCode, AgentErrorSort } from './errors.ts';
export { AGENT_ERRORS, AgentError } from './errors.ts';
export { readMessages } from './session/messages.ts';
export type { NumberedPrompt } from './fork/cut-points.ts';
export { readPrompts } from './fork/cut-points.ts';
export type { ForkBeginning, ForkPlan, RecordedModel } from './fork/plan-fork.ts';
export { beginFork, planFork } from './fork/plan-fork.ts';
export type { LiveOutput } from './output/live-output.ts';
export { openLiveOutput } from './output/live-output.ts';
export { compactionPriceAtRest } from './turn/price-compaction.ts';
export { nearestName } from './nearest-name.ts';
export { parameterProblem } from './parameter-problem.ts';
export { grantCovers, grantInWords, patternProblem } from './permissions/grant.ts';
export { toolsOfPlaceGrant } from './permissions/narrower-tools.ts';
export type { Permission } from './permissions/judge.ts';
export { narrower } from './permissions/judge.ts';
export type { GrantProblem } from './permissions/read-grant.ts';
export { offeredPatterns, offeredPlaces, readGrant } from './permissions/read-grant.ts';
export type { RuledTool } from './permissions/read-rules.ts';
export { readRules } from './permissions/read-rules.ts';
export type {
  CompactionBy,
  CompactionPolicy,
  CompactionReport,
  CompactionTrigger,
  PriceCompaction,
  PricedInput,
} from './ports/compaction.ts';
export type { BackgroundProcess, LoggedProcess, ProcessOutput, SessionProcesses } from './ports/background-process.ts';
export { PROCESSES } from './ports/background-process.ts';
export type { HostedProcesses, ProcessHost, ProcessSink } from './ports/process-host.ts';
export type { ContextSource, NoteCause, SourceView, ToolEffect } from './ports/context-source.ts';
export type { HookEvent, HookProblem } from './ports/hook-event.ts';
export { canDeny, HOOK_EVENTS, HOOK_NAME, hookProblems, MAX_HOOK_TIMEOUT_MS } from './ports/hook-event.ts';
export type { Hook, HookAnswer, HookContext, HookInput } from './ports/hooks.ts';
export type { FittedImage, GivenImage, ImageBounds, ImageFitter, UnfitImage } from './ports/image-fitter.ts';
export type {
  AgentForkOptions,
  AgentSession,
  CompactOptions,
  FinishedTotals,
  FinishedTurn,
  ForkOptions,
  GivenAttachment,
  OmittedKind,
  PromptOptions,
  ResumeOptions,
  SessionMessage,
  SideAnswer,
  SideCall,
  Turn,
  Words,
} from './ports/live-session.ts';
export type { InputBuckets } from './ports/input-buckets.ts';
export type { NextCall, NextCallPrice, PromptSize } from './ports/next-call.ts';
export type { ForecastOptions, ModelReach, OtherModel } from './ports/other-model.ts';
export type { KnownTurnErrorCode, TurnError, TurnErrorCode, TurnLimit } from './ports/turn-error.ts';
export type {
  AllowedAnswer,
  Asker,
  CallQuestion,
  DefinitionQuestion,
  Mode,
  PermissionAnswer,
  Question,
  RefusedAnswer,
  RewriteQuestion,
} from './ports/permissions.ts';
export type {
  CacheWriteGate,
  Lasting,
  RetryPolicy,
  RewriteNotice,
  Runtime,
  SubagentLimits,
  TurnLimits,
  TurnWatch,
  Warm,
} from './ports/runtime.ts';
export { RETRY, SUBAGENT_LIMITS } from './ports/runtime.ts';
export type { MaskedPart, Secrets, MaskRange } from './ports/secrets.ts';
export type { Notice, SessionEvent } from './ports/session-event.ts';
export type { LoadedSkill, Skill, SkillBudget, SkillShelf, SkillsInContext } from './ports/skill-shelf.ts';
export type { LoadVerdict } from './decide/judge-load.ts';
export { SKILL_BUDGET } from './ports/skill-shelf.ts';
export { judgeLoad, skillTokens } from './decide/judge-load.ts';
export type { AgentShelf, OwnAgent, ToolLimit } from './ports/own-agent.ts';
export { ownAgentSource } from './sources/own-agent-source.ts';
export { findOwnAgent } from './subagent/own-agent.ts';
export type { SubagentOrder } from './ports/subagent.ts';
export type { Surroundings } from './ports/surroundings.ts';
export { THIS_MACHINE } from './concurrency.ts';
export type {
  HeldTool,
  PageMaker,
  PreviewContext,
  ResultRoom,
  FileSeen,
  Tool,
  ToolContext,
  ToolFact,
  ToolHistory,
  ToolImage,
  ToolOffer,
  ToolOutput,
  ToolPreview,
  ToolProblem,
  ToolRun,
  ToolSource,
  ToolTrouble,
} from './ports/tool.ts';
export type { RestSettings, SessionAtRest } from './request/call-at-rest.ts';
export { stateOfNextCall } from './request/call-at-rest.ts';
export { recordAnswer, recordFailed, recordInterrupted } from './request/answer.ts';
export { createCacheWriteGate } from './turn/send-request.ts';
export type { CallOptions, Foreseen } from './request/draft-call.ts';
export type { PromptStreams, Prepared } from './request/prepare.ts';
export { prepareRequest } from './request/prepare.ts';
export type { PromptStream, Resize } from './request/prompt-stream.ts';
export type { Beside } from './request/request-record.ts';
export { foldName } from './rules/name-patterns.ts';
export type { ReadRule, Rule, RulePattern, RuleProblems, RuleSet } from './rules/rule.ts';
export type {
  EffectKind,
  CallEffects,
  CommandEffects,
  GrantOffer,
  PathEffect,
  PossibleCommand,
  ProjectGrants,
  RuledCall,
} from './rules/ruled-call.ts';
export type { Launching } from './rules/ways-to-run.ts';
export { handsOn, launches, programName } from './rules/ways-to-run.ts';
export { createSecrets } from './secrets/create-secrets.ts';
export type { SecretValue } from './secrets/mask-text.ts';
export { isSecretName, secretsOf } from './secrets/mask-text.ts';
export type { TerminalText } from './output/terminal-text.ts';
export { openTerminalText, terminalText } from './output/terminal-text.ts';
export { isImageNote } from './session/keep-images.ts';
export { keepCapabilities, loadCapabilities, newHash, readArtifact } from './session/materials.ts';
export type { Progress } from './session/progress.ts';
export type { Fold, Session } from './session/session.ts';
export {
  commit,
  createSession,
  emptyFold,
  FOLD_REVISION,
  foldIn,
  foldLog,
  glanceAtFold,
  keepSnapshot,
  openSession,
  readFold,
  skillsInContext,
  snapshotOf,
} from './session/session.ts';
export type { Spent } from './session/spent.ts';
export type { PermissionModeOptions } from './sources/ask-sources.ts';
export { permissionModeSource } from './sources/ask-sources.ts';
export { createAgentTool } from './subagent/agent-tool.ts';
export { jsonSchemaOf } from './session/answer-schema.ts';
export { describeIssues } from './session/describe-issues.ts';
