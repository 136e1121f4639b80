// The one folder under which everything is kept.

import { join, resolve } from 'node:path';

/** The environment as a command may read it: names to values. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** `TIDEMARK_HOME` as an absolute path, else `.tidemark` in the user's folder. */
export function homeOf(environment: Environment, userFolder: string): string {
  const asked = environment['TIDEMARK_HOME'];
  return asked === undefined || asked === '' ? join(userFolder, '.tidemark') : resolve(asked);
}
