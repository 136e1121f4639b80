// What a sandboxed command may not see: keys in the home, and the log of the sessions.

import { realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../confine/file-problem.ts';

/** One path that is covered: a folder by an empty one, a file by nothing. */
export interface Hidden {
  readonly path: string;
  readonly as: 'folder' | 'file';
}

const HOME_SECRETS = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.docker',
  '.config/gcloud',
  '.config/gh',
  '.config/hub',
  '.config/git/credentials',
  '.netrc',
  '.npmrc',
  '.yarnrc.yml',
  '.pypirc',
  '.pgpass',
  '.my.cnf',
  '.git-credentials',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.config/op',
  '.password-store',
  '.local/share/keyrings',
  '.mozilla',
  '.config/google-chrome',
  '.config/chromium',
  '.anthropic',
  '.claude',
  '.codex',
  '.bash_history',
  '.zsh_history',
];

/** Where services listen that would work outside of the sandbox for a command, beside `/run`, which is covered whole. */
const SERVICES = ['/var/run'];

/** Real paths of what exists of keys in the home, sockets of services, and the paths named: a link is covered where it leads. */
export function hiddenPaths(home: string, also: readonly string[]): readonly Hidden[] {
  const paths = [...HOME_SECRETS.map((name) => join(home, name)), ...SERVICES, ...also];
  const found = new Map(paths.flatMap((path) => coverOf(path)).map((hidden) => [hidden.path, hidden]));
  // A link to one of these would take away everything.
  for (const path of ['/', '/run', realOf(home) ?? home]) found.delete(path);
  return [...found.values()];
}

function coverOf(path: string): readonly Hidden[] {
  const real = realOf(path);
  if (real === undefined) return [];
  return [{ path: real, as: statSync(real).isDirectory() ? 'folder' : 'file' }];
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return undefined;
  }
}
