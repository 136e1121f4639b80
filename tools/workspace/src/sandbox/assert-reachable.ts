// A repository that cannot be reached cannot be mounted, so the command that would need its protection must not run.

import { lstatSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { codeOf } from '../confine/file-problem.ts';
import { showName } from '../confine/show-name.ts';
import { WorkspaceError } from '../workspace-error.ts';

/**
 * Checks that each path can be looked at, or is gone.
 *
 * @param paths Absolute paths of repositories, in the workspace.
 * @throws WorkspaceError `workspace/file-system`, which names the folder that is in the way and the next step.
 */
export function assertReachable(workspace: string, paths: readonly string[]): void {
  for (const path of paths) {
    const code = obstacle(path);
    if (code !== undefined) throw unreachable(workspace, path, code);
  }
}

/** Why the file system does not let this process look at a path: `EACCES`. */
function obstacle(path: string): string | undefined {
  try {
    lstatSync(path, { throwIfNoEntry: false });
    return undefined;
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    return code === 'ENOTDIR' ? undefined : code;
  }
}

function unreachable(workspace: string, path: string, code: string): WorkspaceError {
  const [repository, folder] = [path, nearestSeen(path)].map((each) => showName(relative(workspace, each) || '.'));
  const message = [
    `the command did not run: the repository ${repository} cannot be protected, because the folder ${folder} cannot be entered (${code}).`,
    `Ask the user to open ${folder} again, for example with \`chmod u+rwx\`, or to remove it.`,
  ].join(' ');
  return new WorkspaceError('workspace/file-system', message, { path: repository, folder, code });
}

/** The folder nearest to a path that can be looked at: what is in it cannot. */
function nearestSeen(path: string): string {
  const folder = dirname(path);
  return folder === path || obstacle(folder) === undefined ? folder : nearestSeen(folder);
}
