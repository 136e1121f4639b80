// Commands of the user's own: slash commands in files, and installed skills by their names.

import { createSecrets, secretsOf } from '@tidemark/agent';
import { readSettings } from '@tidemark/settings';
import { findSkills } from '@tidemark/tools-skills';

import { join } from 'node:path';

import { plainText } from '../../frame/plain-text.ts';
import { skillsHere } from '../../settings/installed-skills.ts';
import { settingsRequest } from '../../settings/own-settings.ts';
import { skillPlaces } from '../../settings/skill-places.ts';
import type { BadFileCommand, FileCommand } from './file-commands.ts';
import { findFileCommands, WORKSPACE_COMMANDS } from './file-commands.ts';
import type { SlashPlace, SlashSummary } from './slash-command.ts';

/** Commands of the user's own. */
export interface OwnCommands {
  readonly files: readonly FileCommand[];
  /** Installed skills whose names are not those of other commands. */
  readonly skills: readonly SlashSummary[];
  /** Files that cannot be used. */
  readonly bad: readonly BadFileCommand[];
  /** True if the workspace has commands that are not used because it is not trusted. */
  readonly untrusted: boolean;
}

/** Reads the commands of the user's own. `builtIn` contains the names of the built-in commands. */
export async function readOwnCommands(
  { context, controller, trusted }: Pick<SlashPlace, 'context' | 'controller' | 'trusted'>,
  builtIn: ReadonlySet<string>,
): Promise<OwnCommands> {
  const folder = controller.workspace();
  const recorded = await skillsHere({ ...context, folder });
  const here = trusted ? { ...recorded, trusted } : recorded;
  const ofWorkspace = { folder: join(folder, WORKSPACE_COMMANDS), inside: folder };
  const own = { folder: join(context.configFolder, 'commands') };
  const { commands: files, bad } = await findFileCommands([own, ...(here.trusted ? [ofWorkspace] : [])], builtIn);
  const taken = new Set([...builtIn, ...files.map(({ name }) => name)]);
  const { settings } = await readSettings({ ...settingsRequest(context), trusted: false });
  const roots = await skillPlaces(context, here, settings.skillRoots);
  const { mask } = createSecrets({ values: secretsOf(context.environment) });
  const { skills } = await findSkills(roots, undefined, mask);
  return {
    files,
    bad,
    skills: skills
      .filter(({ name }) => !taken.has(name))
      .map(({ name, use }) => ({ name, summary: `skill: ${firstLine(use)}`, argument: '[task]' })),
    untrusted: !here.trusted && (await findFileCommands([ofWorkspace], builtIn)).commands.length > 0,
  };
}

function firstLine(text: string): string {
  return plainText(text).trim().split('\n', 1)[0] ?? '';
}
