// Looks at what a session needs around it: Node, the home folder, the settings, the keyring, the sandbox. Writes nothing.

import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';

import type { SandboxState, TriedPromise } from '@tidemark/kit';
import { readSettings, SettingsError } from '@tidemark/settings';

import type { CommandContext } from '../frame/command.ts';
import type { SettingsPlaces } from '../settings/display-in.ts';
import { settingsRequest } from '../settings/settings-in.ts';
import type { DoctorCheck } from './check.ts';

/** The first major version of Node that runs this program. */
const NODE_NEEDED = 24;

/** Permission bits of group and others. */
const NOT_OWNER = 0o077;

/** Whether the running Node is new enough. `version` as in `process.versions.node`. */
export function checkNode(version: string): DoctorCheck {
  const state = Number.parseInt(version, 10) >= NODE_NEEDED ? 'good' : 'failed';
  return {
    name: 'node',
    state,
    found: version,
    ...(state === 'failed' && { next: `install Node ${NODE_NEEDED} or later` }),
  };
}

/** Whether the home folder is there, is the user's alone (0700), and can be written. */
export async function checkHome(home: string): Promise<DoctorCheck> {
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

/** Whether the user's own settings can be used, and the environment's. */
export async function checkSettings(places: SettingsPlaces): Promise<DoctorCheck> {
  const name = 'settings';
  try {
    const { effective } = await readSettings({ ...settingsRequest(places), trusted: false });
    const set = effective.filter(({ source }) => source !== 'default').length;
    return { name, state: 'good', found: `${places.configFile ?? places.configFolder}: ${set} set` };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return { name, state: 'failed', found: error.message, next: error.next };
  }
}

/** Whether the system has a keyring. Nobody needs one. */
export async function checkKeyring({ keyring }: Pick<CommandContext, 'keyring'>): Promise<DoctorCheck> {
  try {
    await keyring.get('anthropic');
    return { name: 'keyring', state: 'good', found: 'can be used' };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return { name: 'keyring', state: 'good', found: `${error.message}; keys come from the environment alone` };
  }
}

const UNHELD =
  'commands are not held to the workspace: they ask first in every mode that runs them, unless --unconfined is said';

/** Nobody needs a sandbox; without one more is asked. */
const SANDBOX: { readonly [state in SandboxState]: Omit<DoctorCheck, 'name'> } = {
  works: {
    state: 'good',
    found: 'bubblewrap works: commands run in it, unasked in mode auto; each of its promises was tried:',
  },
  blocked: {
    state: 'warning',
    found: `bubblewrap is installed, and the system lets it make no namespaces; ${UNHELD}`,
    next: 'allow unprivileged user namespaces, or run in a container that does',
  },
  missing: {
    state: 'warning',
    found: `bubblewrap is not installed; ${UNHELD}`,
    next: 'install bubblewrap (`bwrap`): apt install bubblewrap, dnf install bubblewrap',
  },
  'not-here': { state: 'good', found: `bubblewrap is for Linux alone; ${UNHELD}` },
};

/** Whether commands are held by a sandbox, and what follows where they are not. */
export function checkSandbox(state: SandboxState): DoctorCheck {
  return { name: 'sandbox', ...SANDBOX[state] };
}

/** A promise of the sandbox that does not hold is a failure: commands run unasked because of it. */
export function checkPromise({ promise, kept }: TriedPromise): DoctorCheck {
  const name = 'sandbox';
  if (kept) return { name, state: 'good', found: promise };
  return { name, state: 'failed', found: `not kept: ${promise}`, next: 'use mode ask on this machine, and report it' };
}
