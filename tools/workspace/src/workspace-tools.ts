// The tools of a folder, in the one order in which they are always listed: it is part of every user's cached prefix.

import type { Tool } from '@tidemark/agent';
import { homedir } from 'node:os';
import type { BashOptions } from './bash/bash-tool.ts';
import { createBashTool } from './bash/bash-tool.ts';
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

/** Where the tools work. */
export interface WorkspaceOptions extends BashOptions {
  /** The workspace: an absolute path. */
  readonly folder: string;
  /** With `memory_update`: for a workspace that its user trusts. */
  readonly memory?: boolean;
  /**
   * Absolute paths that trusted settings name, a folder with all below it: mode `auto` asks before a file tool writes there, and
   * no sandboxed command may change it. Links are followed.
   */
  readonly protectedPaths?: readonly string[];
}

/**
 * All of them over one confinement, `memory_update` last. `forbidden`: paths that no tool may touch, the home of the logs first of all.
 *
 * @throws WorkspaceError `workspace/no-folder`, `workspace/secret-variable`.
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
    createOutputReadTool(),
    createHistoryReadTool(),
    createHistorySearchTool(),
    ...(memory ? [createMemoryUpdateTool(confinement)] : []),
  ];
}
