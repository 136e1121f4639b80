// The context source `workspace`: which folder this is, and which branch it is on.

import { basename } from 'node:path';
import type { ContextSource } from '@tidemark/agent';
import type { GitHead } from './git-head.ts';
import { gitHead } from './git-head.ts';
import { oneLine } from './one-line.ts';

/** Notes the name of the workspace's folder and its git branch; asked again after what may have switched the branch. */
export function workspaceSource(): ContextSource {
  return {
    name: 'workspace',
    revision: async ({ workspace }) => `${nameOf(workspace)} ${sayHead(await gitHead(workspace))}`,
    render: async ({ workspace }) =>
      `Workspace folder: ${nameOf(workspace)}\nGit: ${sayHead(await gitHead(workspace))}`,
    // A folder and a branch are what it is about, not a state of it.
    isAnother: () => true,
    affectedBy: ({ effect }) => effect === 'execute',
  };
}

const nameOf = (workspace: string): string => oneLine(basename(workspace));

function sayHead(head: GitHead | undefined): string {
  switch (head?.at) {
    case undefined:
      return 'no repository';
    case 'branch':
      return `branch ${oneLine(head.branch)}`;
    case 'commit':
      return `no branch, detached at ${head.commit.slice(0, 12)}`;
    case 'unknown':
      return 'a repository whose branch is not known';
  }
}
