// Where the command looks for skills: in the user's own folders, and in a workspace only where the user trusts it. And how
// many of them may be loaded.

import { defined } from '@tidemark/core';
import { skillRoots } from '@tidemark/kit';
import type { SkillRoot, SkillsOptions } from '@tidemark/kit';
import type { Settings } from '@tidemark/settings';
import { liesInside } from '@tidemark/settings';
import { join } from 'node:path';

import type { CommandContext } from '../frame/command.ts';

/** A folder to work in, and whether the user trusts it. */
interface Workspace {
  readonly folder: string;
  readonly trusted: boolean;
}

type Places = Pick<CommandContext, 'userFolder' | 'configFolder'>;

/** The roots, the nearer first; those that are set come last. Of the user's own, one that lies in a workspace is trusted as that is, and no more. */
export async function skillPlaces(
  { userFolder, configFolder }: Places,
  { folder, trusted }: Workspace,
  more: readonly string[] = [],
): Promise<readonly SkillRoot[]> {
  const own = { home: userFolder, config: configFolder };
  const set = more.map((path) => ({
    folder: path.startsWith('~/') ? join(userFolder, path.slice(2)) : path,
    source: 'settings',
  }));
  if (trusted) return [...(await itsRoots(folder)), ...skillRoots(own), ...set];
  const outside: SkillRoot[] = [];
  for (const root of [...skillRoots(own), ...set]) if (!(await liesInside(root.folder, folder))) outside.push(root);
  return outside;
}

/** What a link brings in from elsewhere was looked at by nobody: trust is given to what lies in the folder itself. */
async function itsRoots(folder: string): Promise<readonly SkillRoot[]> {
  const lies = await Promise.all(
    skillRoots({ workspace: folder }).map(async (root) =>
      (await liesInside(root.folder, folder)) && !(await liesInside(folder, root.folder)) ? [root] : [],
    ),
  );
  return lies.flat();
}

/** As it is set; what is not is as the runtime has it. */
export function skillBudgetIn({ skillBudget = {} }: Settings): NonNullable<SkillsOptions['budget']> {
  const { skills, warning, most } = skillBudget;
  return defined({ skills, warning, most });
}
