// Public exports of `tools/workspace`: the tools that work in a folder, and the context sources that describe the
// folder to a model.

export type { BashOptions } from './bash/bash-tool.ts';
export { createBashTool } from './bash/bash-tool.ts';
export type { TriedPromise } from './sandbox/try-promises.ts';
export { tryPromises } from './sandbox/try-promises.ts';
export type { SandboxState } from './sandbox/bubblewrap.ts';
export { sandboxState } from './sandbox/bubblewrap.ts';
export { createLaterWatch } from './later/later-watch.ts';
export type { Confinement, ConfinementOptions, WorkspacePlace } from './confine/confine.ts';
export { createConfinement } from './confine/confine.ts';
export type { StartOptions } from './confine/start-files.ts';
export { startPaths } from './confine/start-files.ts';
export { createEditTool } from './edit/edit-tool.ts';
export { createHistoryReadTool } from './history/history-read-tool.ts';
export { createHistorySearchTool } from './history/history-search-tool.ts';
export { createLsTool } from './ls/ls-tool.ts';
export { memorySource } from './memory/memory-source.ts';
export { createMemoryUpdateTool } from './memory/memory-update-tool.ts';
export { createOutputReadTool } from './output-read/output-read-tool.ts';
export { createPlanTool } from './plan/plan-tool.ts';
export { createReadTool } from './read/read-tool.ts';
export { createFindTool } from './search/find-tool.ts';
export { createGrepTool } from './search/grep-tool.ts';
export type { FileListOptions } from './search/workspace-files.ts';
export { workspaceFiles } from './search/workspace-files.ts';
export type { EnvironmentOptions } from './sources/environment.ts';
export { environmentSource } from './sources/environment.ts';
export type { InstructionsOptions } from './sources/instructions.ts';
export { instructionsSource } from './sources/instructions.ts';
export { workspaceSource } from './sources/workspace.ts';
export type { WorkspaceErrorCode, WorkspaceErrorSort } from './workspace-error.ts';
export { WORKSPACE_ERRORS, WorkspaceError } from './workspace-error.ts';
export type { WorkspaceOptions } from './workspace-tools.ts';
export { workspaceTools } from './workspace-tools.ts';
export { createWriteTool } from './write/write-tool.ts';
