// What is set for a workspace: read at the door of each command that heeds it, with what the user allows the workspace.

import { defined } from '@tidemark/core';
import { PROVIDERS } from '@tidemark/kit';
import type { WorkspaceContents, SettledSettings } from '@tidemark/settings';
import { readBrought, readSettings, SettingsError } from '@tidemark/settings';

import type { CommandContext } from '../frame/command.ts';
import { withStyle } from '../frame/shown.ts';
import { trustIn } from './trust-in.ts';

/** What is set, and whether what the workspace brings along may be used. */
export interface SettingsInForce extends SettledSettings {
  readonly trusted: boolean;
  /** Not there where it cannot be looked through. */
  readonly brought?: WorkspaceContents;
}

/**
 * Asks for trust where that is to be asked.
 *
 * @throws SettingsError for what the user, or a workspace that is trusted, said wrong.
 */
export async function settingsIn(
  workspace: string,
  { trust }: { readonly trust?: true | undefined },
  context: CommandContext,
): Promise<SettingsInForce> {
  const brought = await broughtBy(workspace, trust === true, context);
  const trusted = brought !== undefined && (trust === true || (await trustIn(brought, context)));
  const settled = await readSettings({ ...settingsRequest(context), ...defined({ brought }), trusted });
  if (settled.problem !== undefined) noteProblem(settled.problem, context);
  return { ...settled, trusted, ...defined({ brought }) };
}

/** Where the user's own settings are looked for. */
export function settingsRequest({
  configFolder,
  configFile,
  environment,
}: Pick<CommandContext, 'configFolder' | 'configFile' | 'environment'>): Pick<
  Parameters<typeof readSettings>[0],
  'providers' | 'folder' | 'file' | 'environment'
> {
  return defined({ providers: Object.keys(PROVIDERS), folder: configFolder, environment, file: configFile });
}

async function broughtBy(
  workspace: string,
  needed: boolean,
  context: CommandContext,
): Promise<WorkspaceContents | undefined> {
  try {
    return await readBrought(workspace);
  } catch (error) {
    if (needed || !(error instanceof SettingsError)) throw error;
    noteProblem(error, context);
    return undefined;
  }
}

function noteProblem({ message }: SettingsError, { output }: CommandContext): void {
  output.note([withStyle('yellow', 'notice'), `: what this folder brings along is not used: ${message}`]);
}
