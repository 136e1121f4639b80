// Where the command looks for skills: in the user's own folders, and in a workspace only where the user trusts it.

import { skillRoots } from '@tidemark/kit';
import type { SkillRoot } from '@tidemark/kit';

import type { CommandContext } from './command.ts';

/** The roots, the nearer first. */
export function skillPlaces(
  { userFolder, configFolder }: Pick<CommandContext, 'userFolder' | 'configFolder'>,
  trusted?: string,
): readonly SkillRoot[] {
  return skillRoots({ ...(trusted !== undefined && { workspace: trusted }), home: userFolder, config: configFolder });
}
