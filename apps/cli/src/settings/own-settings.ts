// Reads the settings of the user without those of a workspace.

import { defined } from '@tidemark/core';
import { PROVIDERS } from '@tidemark/kit';
import { readSettings } from '@tidemark/settings';

import type { CommandContext } from '../frame/command.ts';

/** Returns the arguments with which `readSettings` reads the user's own settings. */
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

/**
 * Returns the names of the MCP servers in the user's own settings.
 *
 * @throws SettingsError when these settings are invalid.
 */
export async function ownServers(context: CommandContext): Promise<ReadonlySet<string>> {
  const { settings } = await readSettings({ ...settingsRequest(context), trusted: false });
  return new Set(Object.keys(settings.mcp?.servers ?? {}));
}
