// Finds the folders with skills and with own agents: the user's own folders, and those of a trusted workspace. Also
// finds the user's own instruction files, and reads the limits for loading skills.

import { defined } from '@tidemark/core';
import { agentRoots, skillRoots } from '@tidemark/kit';
import type { SkillRoot, SkillsOptions } from '@tidemark/kit';
import type { Settings } from '@tidemark/settings';
import { liesInside } from '@tidemark/settings';
import { join } from 'node:path';

import type { CommandContext } from '../frame/command.ts';

interface Workspace {
  readonly folder: string;
  readonly trusted: boolean;
}

type Places = Pick<CommandContext, 'userFolder' | 'configFolder'>;

/**
 * Returns the skill roots, nearest first. Roots from the settings come last. If the workspace is not trusted, any root
 * inside it is skipped, even if it is one of the user's own roots.
 */
export function skillPlaces(
  places: Places,
  workspace: Workspace,
  more: readonly string[] = [],
): Promise<readonly SkillRoot[]> {
  return rootsFor(skillRoots, places, workspace, more);
}

/** Returns the roots of own agents, nearest first, as `skillPlaces` does for skills. */
export function agentPlaces(
  places: Places,
  workspace: Workspace,
  more: readonly string[] = [],
): Promise<readonly SkillRoot[]> {
  return rootsFor(agentRoots, places, workspace, more);
}

type UsualRoots = typeof skillRoots;

async function rootsFor(
  usual: UsualRoots,
  { userFolder, configFolder }: Places,
  { folder, trusted }: Workspace,
  more: readonly string[],
): Promise<readonly SkillRoot[]> {
  const own = { home: userFolder, config: configFolder };
  const set = more.map((path) => ({
    folder: path.startsWith('~/') ? join(userFolder, path.slice(2)) : path,
    source: 'settings',
  }));
  if (trusted) return [...(await itsRoots(usual, folder)), ...usual(own), ...set];
  const outside: SkillRoot[] = [];
  for (const root of [...usual(own), ...set]) if (!(await liesInside(root.folder, folder))) outside.push(root);
  return outside;
}

/**
 * Returns the roots inside the workspace. If a root is a link to another folder, it is skipped, because the user
 * trusted only the contents of the workspace itself.
 */
async function itsRoots(usual: UsualRoots, folder: string): Promise<readonly SkillRoot[]> {
  const lies = await Promise.all(
    usual({ workspace: folder }).map(async (root) =>
      (await liesInside(root.folder, folder)) && !(await liesInside(folder, root.folder)) ? [root] : [],
    ),
  );
  return lies.flat();
}

/**
 * Returns the paths at which the user's own instruction files can be, farthest first. A file that lies in the workspace
 * is skipped, because the author of the workspace may have written it.
 */
export async function ownInstructions(
  { userFolder, configFolder }: Places,
  workspace: string,
): Promise<readonly string[]> {
  const outside: string[] = [];
  for (const path of [join(configFolder, 'AGENTS.md'), join(userFolder, '.agents', 'AGENTS.md')])
    if (!(await liesInside(path, workspace))) outside.push(path);
  return outside;
}

/** Returns the budget from the settings. Values that are not set use the defaults of the runtime. */
export function skillBudgetIn({ skillBudget = {} }: Settings): NonNullable<SkillsOptions['budget']> {
  const { skills, warning, most } = skillBudget;
  return defined({ skills, warning, most });
}
