// The one folder under which everything is kept, and the one of the user's own configuration.

import { isAbsolute, join, resolve } from 'node:path';

/** The environment as a command may read it: names to values. */
export type CommandEnvironment = Readonly<Record<string, string | undefined>>;

/** The user's own folder of configuration: `tidemark` in `XDG_CONFIG_HOME`, where that is absolute, else in `.config`. */
export function configFolderOf(environment: CommandEnvironment, userFolder: string): string {
  const asked = environment['XDG_CONFIG_HOME'] ?? '';
  return join(isAbsolute(asked) ? asked : join(userFolder, '.config'), 'tidemark');
}

/** `TIDEMARK_HOME` as an absolute path, else `.tidemark` in the user's folder. */
export function homeOf(environment: CommandEnvironment, userFolder: string): string {
  const asked = environment['TIDEMARK_HOME'];
  return asked === undefined || asked === '' ? join(userFolder, '.tidemark') : resolve(asked);
}
