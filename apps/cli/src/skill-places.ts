// Where the command looks for skills: in the user's own folders, and in a workspace only where the user trusts it.

import { skillRoots } from '@tidemark/kit';
import type { SkillRoot } from '@tidemark/kit';
import { liesInside } from '@tidemark/settings';

import type { CommandContext } from './command.ts';

/** A folder to work in, and whether the user trusts it. */
interface Workspace {
  readonly folder: string;
  readonly trusted: boolean;
}

/** The roots, the nearer first. Of the user's own, one that lies in a workspace is trusted as that is, and no more. */
export async function skillPlaces(
  { userFolder, configFolder }: Pick<CommandContext, 'userFolder' | 'configFolder'>,
  workspace?: Workspace,
): Promise<readonly SkillRoot[]> {
  const own = { home: userFolder, config: configFolder };
  if (workspace === undefined) return skillRoots(own);
  if (workspace.trusted) return skillRoots({ workspace: workspace.folder, ...own });
  const outside: SkillRoot[] = [];
  for (const root of skillRoots(own)) if (!(await liesInside(root.folder, workspace.folder))) outside.push(root);
  return outside;
}
