// The face of `kit`: the front door, and the types that an author who embeds an agent needs beside it.

export type {
  AllowedAnswer,
  PermissionAnswer,
  Asker,
  CompactionReport,
  CompactOptions,
  ContextSource,
  FinishedTurn,
  ForkOptions,
  GivenAttachment,
  GivenImage,
  ImageFitter,
  TurnLimits,
  Mode,
  Notice,
  PageMaker,
  PromptOptions,
  PreviewContext,
  ProjectGrants,
  Question,
  RefusedAnswer,
  RewriteNotice,
  Rule,
  SessionEvent,
  SubagentLimits,
  Tool,
  ToolContext,
  ToolOutput,
  ToolPreview,
  Turn,
} from '@tidemark/agent';
export type { AgentOptions, AgentEnvironment, Permissions, SandboxSetting } from './agent-options.ts';
export type { Agent, OpenOptions } from './create-agent.ts';
export { createAgent } from './create-agent.ts';
export type { ToolDefinition } from './define-tool.ts';
export { defineTool } from './define-tool.ts';
export type { KitErrorCode } from './kit-error.ts';
export { KitError } from './kit-error.ts';
export type { LiveForkOptions, LiveSession, ModelReach, SwitchOptions } from './live-session.ts';
export type { KnownProvider, ProviderName } from './providers.ts';
export { isProviderName, PROVIDERS, providerOf } from './providers.ts';
export type { SkillRoot, SkillsOptions } from '@tidemark/tools-skills';
export { skillRoots } from '@tidemark/tools-skills';
export type { SandboxState, TriedPromise } from '@tidemark/tools-workspace';
export { sandboxState, tryPromises } from '@tidemark/tools-workspace';
