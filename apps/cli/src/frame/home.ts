// Finds the folder that contains all data of Tidemark, and the user's configuration folder.

import { isAbsolute, join, resolve } from 'node:path';

/** Environment variables that a command can read, by name. */
export type CommandEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the user's configuration folder. If `XDG_CONFIG_HOME` is an absolute path, the folder is `tidemark` in that
 * path. Otherwise it is `.config/tidemark` in the user's home folder.
 */
export function configFolderOf(environment: CommandEnvironment, userFolder: string): string {
  const asked = environment['XDG_CONFIG_HOME'] ?? '';
  return join(isAbsolute(asked) ? asked : join(userFolder, '.config'), 'tidemark');
}

/** Returns `TIDEMARK_HOME` as an absolute path. The default is `.tidemark` in the user's home folder. */
export function homeOf(environment: CommandEnvironment, userFolder: string): string {
  const asked = environment['TIDEMARK_HOME'];
  return asked === undefined || asked === '' ? join(userFolder, '.tidemark') : resolve(asked);
}
