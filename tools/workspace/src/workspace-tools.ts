// Workspace tools: lists the tools of a folder in a fixed order, because the order is part of every user's cached
// prefix.

import type { Tool } from '@tidemark/agent';
import { homedir } from 'node:os';
import type { BashOptions } from './bash/bash-tool.ts';
import { createBashTool } from './bash/bash-tool.ts';
import type { Background } from './background/create-background.ts';
import { createProcessTool } from './background/process-tool.ts';
import { createConfinement } from './confine/confine.ts';
import { createEditTool } from './edit/edit-tool.ts';
import { createHistoryReadTool } from './history/history-read-tool.ts';
import { createHistorySearchTool } from './history/history-search-tool.ts';
import { createLsTool } from './ls/ls-tool.ts';
import { createOutputReadTool } from './output-read/output-read-tool.ts';
import { createReadTool } from './read/read-tool.ts';
import { createFindTool } from './search/find-tool.ts';
import { createGrepTool } from './search/grep-tool.ts';
import { createMemoryUpdateTool } from './memory/memory-update-tool.ts';
import { createWriteTool } from './write/write-tool.ts';

/** Options of `workspaceTools`. */
export interface WorkspaceOptions extends BashOptions {
  /** Background processes of the workspace. If present, the tools include `process`. */
  readonly background?: Background;
  /** Absolute path of the workspace. */
  readonly folder: string;
  /** True to include `memory_update`. Set it only for a workspace that its user trusts. The default is false. */
  readonly memory?: boolean;
  /**
   * Absolute paths that trusted settings refer to. A folder includes everything below it. In mode `auto`, the user is
   * asked before a file tool writes to such a path. Sandboxed commands must not change it. Links are followed.
   */
  readonly protectedPaths?: readonly string[];
}

/**
 * Creates all tools of a workspace. They share one confinement, and `memory_update` is the last tool. `forbidden` lists
 * paths that no tool may use, most importantly the folder of the session logs.
 *
 * @throws WorkspaceError `workspace/no-folder` or `workspace/secret-variable`.
 */
export function workspaceTools(options: WorkspaceOptions): readonly Tool[] {
  const { folder, memory = false, ...bash } = options;
  const { forbidden = [], protectedPaths = [], environment = process.env } = bash;
  const home = environment['HOME'] ?? homedir();
  const confinement = createConfinement({ folder, forbidden, protectedPaths, home, environment });
  return [
    createReadTool(confinement),
    createWriteTool(confinement),
    createEditTool(confinement),
    createLsTool(confinement),
    createGrepTool(confinement),
    createFindTool(confinement),
    createBashTool(confinement, bash),
    ...(bash.background === undefined ? [] : [createProcessTool(bash.background)]),
    createOutputReadTool(),
    createHistoryReadTool(),
    createHistorySearchTool(),
    ...(memory ? [createMemoryUpdateTool(confinement)] : []),
  ];
}
