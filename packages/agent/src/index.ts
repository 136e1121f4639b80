// The face of `agent`: what happens next.

export { recordAnswer, recordInterrupted } from './request/answer.ts';
export type { AgentErrorCode, AgentErrorSort } from './errors.ts';
export { AGENT_ERRORS, AgentError } from './errors.ts';
export type { AccountedSession, AccountOptions, Accounts } from './audit/account-sessions.ts';
export { addSession, NO_ACCOUNTS } from './audit/account-sessions.ts';
export type { Explained, Explanation, UntoldReads } from './audit/explain.ts';
export { explainSession } from './audit/explain.ts';
export type { FittedImage, GivenImage, ImageBounds, ImageFitter, UnfitImage } from './images/image-fitter.ts';
export type { PromptStream, Resize } from './request/prompt-stream.ts';
export { keepCapabilities, loadCapabilities, readArtifact } from './session/materials.ts';
export { newHash } from './session/node-hash.ts';
export type { CallOptions, Foreseen } from './request/call-options.ts';
export type { Lines, Prepared } from './request/prepare.ts';
export { prepareRequest } from './request/prepare.ts';
export type { Encoders, Rebuilt, RebuildOptions, RequestAt, RebuildStep } from './audit/rebuild.ts';
export { rebuildRequest, rebuildSession } from './audit/rebuild.ts';
export type { RequestSnapshot } from './audit/request-snapshots.ts';
export { requestSnapshots, SNAPSHOTS_KEPT } from './audit/request-snapshots.ts';
export type { SessionSkills, SkillUse } from './audit/skill-use.ts';
export { addSkillUse, readSkillUse } from './audit/skill-use.ts';
export type { Fold } from './session/fold.ts';
export { emptyFold, FOLD_REVISION, foldIn, glanceAtFold, readFold, snapshotOf } from './session/fold.ts';
export { keepSnapshot } from './session/keep-snapshot.ts';
export type { Session } from './session/session.ts';
export { commit, createSession, foldLog, openSession } from './session/session.ts';
export type { Verification } from './audit/verify.ts';
export { extendsSequence, verifySession } from './audit/verify.ts';
export type { Secrets } from './commit/secrets.ts';
export type { Progress } from './session/progress.ts';
export type { Spent } from './session/spent.ts';
export type { ContextSource, NoteCause, SourceView, ToolEffect } from './sources/context-source.ts';
export type { Surroundings } from './surroundings.ts';
export { THIS_MACHINE } from './surroundings.ts';
export type { ActKind, Acts, CommandActs, PathAct, PossibleCommand } from './rules/acts.ts';
export { foldName } from './rules/fold-name.ts';
export type { Launching } from './rules/launchers.ts';
export { launches, programName } from './rules/launchers.ts';
export { handsOn } from './rules/ways-to-run.ts';
export type { RuledTool } from './rules/read-rules.ts';
export { readRules } from './rules/read-rules.ts';
export { grantCovers, grantInWords, patternProblem } from './rules/grant.ts';
export type { GrantOffer, ProjectGrants } from './rules/grant-offer.ts';
export type { GrantProblem } from './rules/read-grant.ts';
export { offeredPlaces, readGrant } from './rules/read-grant.ts';
export type { RuledCall } from './rules/ruled-call.ts';
export type { ReadRule, Rule, RulePattern, RuleProblems, RuleSet } from './rules/rule.ts';
export type {
  AllowedAnswer,
  PermissionAnswer,
  Asker,
  CallQuestion,
  DefinitionQuestion,
  Mode,
  Permission,
  Question,
  RefusedAnswer,
  RewriteQuestion,
} from './tools/permissions.ts';
export { narrower } from './tools/permissions.ts';
export type { HeldTool, ToolOffer, ToolSource, ToolTrouble } from './tools/tool-source.ts';
export type {
  PageMaker,
  PreviewContext,
  Tool,
  ToolContext,
  ToolFact,
  ToolHistory,
  ToolImage,
  ToolOutput,
  ToolPreview,
  ToolProblem,
  ToolRun,
  ResultRoom,
} from './tools/tool.ts';
export type {
  CompactOptions,
  FinishedTurn,
  GivenAttachment,
  AgentForkOptions,
  AgentSession,
  OtherModel,
  PromptOptions,
  SideAnswer,
  SideCall,
  ModelSwitchOptions,
  Turn,
  Words,
} from './turn/live-session.ts';
export { createAgentTool } from './subagent/agent-tool.ts';
export type { SubagentOrder } from './subagent/subagent.ts';
export type { TurnLimits, RetryPolicy, RewriteNotice, Runtime, SubagentLimits, Warm } from './turn/runtime.ts';
export { RETRY, SUBAGENT_LIMITS } from './turn/runtime.ts';
export type { Warmth } from './decide/warmth.ts';
export { lastingOf, planWarmth } from './decide/warmth.ts';
export type { Notice, SessionEvent } from './turn/session-event.ts';
export type { TurnWatch } from './turn/watch-turn.ts';
export type { PermissionModeOptions } from './sources/permission-mode.ts';
export { permissionModeSource } from './sources/permission-mode.ts';
export { nearestName } from './tools/nearest-name.ts';
export type { LiveSessionOptions } from './turn/open-live-session.ts';
export { openLiveSession } from './turn/open-live-session.ts';
export { recordFailed } from './request/answer.ts';
export { createSecrets } from './commit/create-secrets.ts';
export type { SecretValue } from './commit/secret-names.ts';
export { isSecretName, secretsOf } from './commit/secret-names.ts';
export type { Compacting } from './compact/compact-session.ts';
export { compactSession } from './compact/compact-session.ts';
export type { FreshOrder, FreshStart } from './compact/start-afresh.ts';
export { startAfresh } from './compact/start-afresh.ts';
export type { CompactionOrder, CompactionReport } from './compact/write-compaction.ts';
export type { CompactionPolicy } from './decide/when-to-compact.ts';
export type { CompactionBy, CompactionTrigger } from './session/triggers.ts';
export type { Beside } from './request/request-record.ts';
export type { Lasting } from './request/call-life.ts';
export type { CacheWriteGate } from './request/cache-write-gate.ts';
export { createCacheWriteGate } from './request/cache-write-gate.ts';
export type { ForkBeginning } from './fork/begin-fork.ts';
export { beginFork } from './fork/begin-fork.ts';
export type { NumberedPrompt } from './fork/find-prompt.ts';
export { readPrompts } from './fork/find-prompt.ts';
export type { ForkOptions, ForkPlan } from './fork/plan-fork.ts';
export { planFork } from './fork/plan-fork.ts';
export type { LoadedSkill, Skill, SkillBudget, SkillShelf, SkillsInContext } from './skills/skill-shelf.ts';
export { SKILL_BUDGET } from './skills/skill-shelf.ts';
export type { LoadVerdict } from './skills/judge-load.ts';
export { judgeLoad, skillTokens } from './skills/judge-load.ts';
export { skillsInContext } from './session/skills-in-context.ts';
