// Looks at what a session needs around it: Node, the home folder, the keys. Writes nothing.

import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';

import { PROVIDERS } from '@tidemark/kit';

import type { Environment } from '../home.ts';
import type { Check } from './check.ts';

/** The first major version of Node that runs this program. */
const NODE_NEEDED = 24;

/** Permission bits of group and others. */
const NOT_OWNER = 0o077;

/** Whether the running Node is new enough. `version` as in `process.versions.node`. */
export function checkNode(version: string): Check {
  const state = Number.parseInt(version, 10) >= NODE_NEEDED ? 'good' : 'failed';
  return {
    name: 'node',
    state,
    found: version,
    ...(state === 'failed' && { next: `install Node ${NODE_NEEDED} or later` }),
  };
}

/** Whether the home folder is there, is the user's alone (0700), and can be written. */
export async function checkHome(home: string): Promise<Check> {
  const name = 'home';
  const folder = await stat(home).catch(absent);
  if (folder === undefined) return { name, state: 'good', found: `${home}: not there yet; the first session makes it` };
  if (!folder.isDirectory()) {
    return { name, state: 'failed', found: `${home}: not a folder`, next: 'name another with TIDEMARK_HOME' };
  }
  const mode = (folder.mode & 0o777).toString(8).padStart(4, '0');
  if ((folder.mode & NOT_OWNER) !== 0) {
    return { name, state: 'warning', found: `${home}: open to others (${mode})`, next: `chmod 700 ${home}` };
  }
  const writable = await access(home, constants.R_OK | constants.W_OK | constants.X_OK).then(yes, no);
  if (writable) return { name, state: 'good', found: `${home} (${mode})` };
  return { name, state: 'failed', found: `${home}: cannot be read and written (${mode})`, next: `chmod 700 ${home}` };
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
  return undefined;
}

function yes(): boolean {
  return true;
}

function no(): boolean {
  return false;
}

/** Whether a provider's key is set. The key itself is never read further than that. */
export interface KeyPresence {
  readonly provider: string;
  readonly variable: string;
  readonly present: boolean;
}

const KEYS = Object.entries(PROVIDERS).flatMap(([provider, { variable }]) =>
  variable === undefined ? [] : [{ provider, variable }],
);

/** For each provider, whether its key is in the environment. */
export function keysIn(environment: Environment): readonly KeyPresence[] {
  return KEYS.map((key) => ({ ...key, present: (environment[key.variable] ?? '').trim() !== '' }));
}
