// Exports of `kit`: `createAgent`, `defineTool`, the errors, the stores, and the types that an author needs for them.

export type {
  AgentErrorCode,
  AgentForkOptions,
  AgentSession,
  AllowedAnswer,
  PermissionAnswer,
  Asker,
  CompactionReport,
  CompactOptions,
  ContextSource,
  FinishedTotals,
  FinishedTurn,
  ForkOptions,
  GivenAttachment,
  GivenImage,
  HookAnswer,
  HookContext,
  HookEvent,
  HookInput,
  ImageFitter,
  InputBuckets,
  KnownTurnErrorCode,
  Mode,
  ForecastOptions,
  ModelReach,
  NextCall,
  NextCallPrice,
  Notice,
  OmittedKind,
  OtherModel,
  PageMaker,
  PromptOptions,
  PromptSize,
  PreviewContext,
  ProjectGrants,
  Question,
  RefusedAnswer,
  ResumeOptions,
  RewriteNotice,
  Rule,
  SessionEvent,
  SessionMessage,
  SideAnswer,
  SideCall,
  Surroundings,
  Tool,
  ToolContext,
  ToolOutput,
  ToolPreview,
  Turn,
  TurnError,
  TurnErrorCode,
  TurnLimit,
  Words,
} from '@tidemark/agent';
export { AgentError } from '@tidemark/agent';
export { TidemarkError } from '@tidemark/core';
export type { Log, LogErrorCode } from '@tidemark/log';
export { LogError } from '@tidemark/log';
export type { CatalogErrorCode, Provider, ProviderErrorCode } from '@tidemark/model';
export { CatalogError, ProviderError } from '@tidemark/model';
export { createMemoryStore } from '@tidemark/store-memory';
export { openNdjsonStore } from '@tidemark/store-ndjson';
export type { AgentHook } from './agent-hook.ts';
export type {
  AgentEnvironment,
  AgentLimits,
  AgentOptions,
  ConnectionOptions,
  ContextOptions,
  HostOptions,
  ModelOptions,
  OtherProvider,
  Permissions,
  SandboxSetting,
  SubagentOptions,
  WebSetup,
  WorkspaceSetup,
} from './agent-options.ts';
export type { CommandsSetup } from './commands-setup.ts';
export type { CacheOptions, CompactionOptions } from './cache-options.ts';
export type { Agent, OpenOptions } from './create-agent.ts';
export { builtInToolNames } from './choose-tools.ts';
export { createAgent } from './create-agent.ts';
export type { EffectDescriptions, ToolDefinition } from './define-tool.ts';
export { defineTool } from './define-tool.ts';
export type { MarkedToolOutput } from './tool-output.ts';
export { toolOutput } from './tool-output.ts';
export type { KitErrorCode } from './kit-error.ts';
export { KitError } from './kit-error.ts';
export type { Preset, PresetName } from './presets.ts';
export { PRESETS } from './presets.ts';
export type { KeyLocation, KnownProvider, ProviderName } from './providers.ts';
export { isCompatible, isProviderName, keyLocation, PROVIDERS, providerOf } from './providers.ts';
export type { InspectedServer, McpAuthorizations, McpErrorCode, McpServer, McpServerState } from '@tidemark/tools-mcp';
export type { ServerDefinitions } from '@tidemark/tools-mcp';
export {
  deferredServers,
  inspectServer,
  logIn,
  McpError,
  readServerBytes,
  readServerPrompt,
  readServerResource,
  TOOL_BUDGET,
} from '@tidemark/tools-mcp';
export type { OwnAgentsOptions, SkillRoot, SkillsOptions } from '@tidemark/tools-skills';
export { agentRoots, skillRoots } from '@tidemark/tools-skills';
export type {
  BraveSearchOptions,
  WebErrorCode,
  WebSearchAnswer,
  WebSearchCharge,
  WebSearch,
  WebSearchRequest,
  WebSearchResult,
} from '@tidemark/tools-web';
export { BRAVE_VARIABLE, createBraveSearch, WebError } from '@tidemark/tools-web';
export type {
  ChangedFile,
  Confinement,
  ConfinementOptions,
  FileContentState,
  FileListOptions,
  GitHead,
  RestorableFile,
  RestoreOptions,
  RestorePlan,
  SandboxState,
  TriedPromise,
  UncertainCall,
  WorkspaceErrorCode,
  WorkspacePlace,
} from '@tidemark/tools-workspace';
export {
  createConfinement,
  createPlanTool,
  gitHead,
  planRestore,
  restoreDiff,
  restoreFile,
  sandboxState,
  tryPromises,
  WorkspaceError,
  workspaceFiles,
} from '@tidemark/tools-workspace';
