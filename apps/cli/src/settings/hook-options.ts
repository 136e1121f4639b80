// Makes the option `hooks` of an agent from the settings.

import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname } from 'node:path';

import type { AgentOptions } from '@tidemark/kit';
import type { Settings } from '@tidemark/settings';

import type { CommandContext } from '../frame/command.ts';

/**
 * Returns the hooks of the settings. A program outside of the sandbox runs in the folder of the user's configuration, or
 * in the user's home if there is no such folder. It does not run in the workspace, because a relative path would then
 * name a file of the workspace.
 */
export function hookOptions(
  { hooks }: Settings,
  { configFolder, configFile, environment }: Pick<CommandContext, 'configFolder' | 'configFile' | 'environment'>,
): AgentOptions['hooks'] {
  if (hooks === undefined || hooks.length === 0) return undefined;
  const own = configFile === undefined ? configFolder : dirname(configFile);
  const folder = existsSync(own) ? own : (environment['HOME'] ?? homedir());
  return hooks.map((hook) => (hook.sandbox === true ? hook : { ...hook, folder }));
}
