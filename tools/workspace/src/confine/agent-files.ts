// Agent files: files from which agents take instructions or settings. A change of them is asked about in mode
// `accept-edits`, because it changes what later sessions know or may do.

import { foldName } from '@tidemark/agent';
import { basename, relative, sep } from 'node:path';

/** Folders whose files are settings, skills, agents, commands or memory. */
const FOLDERS: readonly string[] = ['.tidemark', '.agents', '.claude'].map(foldName);

const FILES: readonly string[] = ['AGENTS.md', 'AGENTS.override.md', 'CLAUDE.md', 'CLAUDE.local.md', '.mcp.json'].map(
  foldName,
);

/** Returns true if agents take instructions or settings from the path, in any folder of the workspace. Pure. */
export function isAgentFile(path: string, workspace: string): boolean {
  const parts = relative(workspace, path).split(sep).map(foldName);
  return FILES.includes(foldName(basename(path))) || parts.some((part) => FOLDERS.includes(part));
}
