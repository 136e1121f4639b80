// Checks the surroundings of a session: the runtime, the home, the settings, the keyring and the sandbox. Writes nothing.

import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';

import type { SandboxState, TriedPromise } from '@tidemark/kit';
import { readSettings, SettingsError } from '@tidemark/settings';

import type { CommandContext } from '../frame/command.ts';
import type { SettingsPlaces } from '../settings/display-in.ts';
import { valueIn } from '../settings/key-presence.ts';
import { settingsRequest } from '../settings/own-settings.ts';
import { formatCount } from '../frame/numbers.ts';
import type { DoctorCheck } from './check.ts';

/** Permission bits of the group and of other users. */
const NOT_OWNER = 0o077;

/**
 * Reports the name and the version of the runtime, which is Node, Bun or Deno. The result is always good, because the
 * start script refuses a Node that is too old. `versions` has the form of `process.versions`.
 */
export function checkRuntime({ node, bun, deno }: NodeJS.Dict<string>): DoctorCheck {
  if (bun !== undefined) return { name: 'bun', state: 'good', found: bun };
  if (deno !== undefined) return { name: 'deno', state: 'good', found: deno };
  return { name: 'node', state: 'good', found: node ?? 'unknown version' };
}

/**
 * Checks that the home exists, that only the user can access it (0700), and that the user can write to it. If the home
 * is missing, the check is good, because the first session creates it.
 */
export async function checkHome(home: string): Promise<DoctorCheck> {
  const name = 'home';
  const folder = await stat(home).catch(absent);
  if (folder === undefined)
    return { name, state: 'good', found: `${home}: does not exist yet; the first session creates it` };
  if (!folder.isDirectory()) {
    return { name, state: 'failed', found: `${home}: not a folder`, next: 'set TIDEMARK_HOME to a folder' };
  }
  const mode = (folder.mode & 0o777).toString(8).padStart(4, '0');
  if ((folder.mode & NOT_OWNER) !== 0) {
    return { name, state: 'warning', found: `${home}: other users have access (${mode})`, next: `chmod 700 ${home}` };
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

/** Checks that the user's settings and the settings from the environment can be read. */
export async function checkSettings(places: SettingsPlaces): Promise<DoctorCheck> {
  const name = 'settings';
  try {
    const { effective } = await readSettings({ ...settingsRequest(places), trusted: false });
    const set = effective.filter(({ source }) => source !== 'default').length;
    return {
      name,
      state: 'good',
      found: `${places.configFile ?? places.configFolder}: ${formatCount(set, 'setting')} set`,
    };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return { name, state: 'failed', found: error.message, next: error.next };
  }
}

/** Variables that tools of a project read, and that commands of a session do not get by themselves. */
const OF_TOOLS: readonly string[] = [
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'SSL_CERT_FILE',
  'NODE_EXTRA_CA_CERTS',
  'REQUESTS_CA_BUNDLE',
  'JAVA_HOME',
  'GRADLE_USER_HOME',
  'ANDROID_HOME',
  'GOPATH',
  'GOROOT',
  'GOFLAGS',
  'GOPROXY',
  'CARGO_HOME',
  'RUSTUP_HOME',
  'VIRTUAL_ENV',
  'CONDA_PREFIX',
  'PYTHONPATH',
  'NODE_PATH',
  'NODE_OPTIONS',
  'GEM_HOME',
  'LD_LIBRARY_PATH',
  'PKG_CONFIG_PATH',
];

/** Names the variables of tools that the user has and commands do not get. The result is good: it is the default. */
export async function checkVariables(
  places: SettingsPlaces & Pick<CommandContext, 'environment'>,
): Promise<DoctorCheck> {
  const name = 'variables';
  const read = await readSettings({ ...settingsRequest(places), trusted: false }).catch(unlessUnusable);
  const { variables = [], secretVariables = [] } = read?.settings.commands ?? {};
  const isPassed = (variable: string): boolean =>
    [...variables, ...secretVariables].some((one) =>
      one.endsWith('*') ? variable.startsWith(one.slice(0, -1)) : one === variable,
    );
  const withheld = OF_TOOLS.filter((one) => valueIn(places.environment, one) !== '' && !isPassed(one));
  if (withheld.length === 0)
    return { name, state: 'good', found: 'commands get the usual variables, such as PATH and HOME' };
  return {
    name,
    state: 'good',
    found: `commands do not get ${withheld.join(', ')} of your environment`,
    next: `if a command needs one: \`commands.variables\` in your settings, such as ${JSON.stringify(withheld.slice(0, 2))}`,
  };
}

function unlessUnusable(error: unknown): undefined {
  if (error instanceof SettingsError) return undefined;
  throw error;
}

/** Checks if the system has a keyring. The result is always good, because a keyring is optional. */
export async function checkKeyring({ keyring }: Pick<CommandContext, 'keyring'>): Promise<DoctorCheck> {
  try {
    await keyring.get('anthropic');
    return { name: 'keyring', state: 'good', found: 'can be used' };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return {
      name: 'keyring',
      state: 'good',
      found: `optional, and not available here; keys are read only from the environment. ${error.message}`,
    };
  }
}

const UNHELD =
  'commands are not confined to the workspace: they ask first in every mode that runs them, unless `--allow-unsandboxed` is used';

/**
 * Result of the check for each state of the sandbox. A sandbox is optional. Without one, more commands need a
 * confirmation.
 */
const SANDBOX: { readonly [state in SandboxState]: Omit<DoctorCheck, 'name'> } = {
  works: {
    state: 'good',
    found: 'bubblewrap works: commands run in it, in mode auto without asking; each of its promises was tested:',
  },
  blocked: {
    state: 'warning',
    found: `bubblewrap is installed, but the system does not let it create namespaces; ${UNHELD}`,
    next: 'allow unprivileged user namespaces, or run in a container that allows them',
  },
  missing: {
    state: 'warning',
    found: `bubblewrap is not installed; ${UNHELD}`,
    next: 'install bubblewrap (`bwrap`): apt install bubblewrap, dnf install bubblewrap',
  },
  'not-here': { state: 'good', found: `bubblewrap works only on Linux; ${UNHELD}` },
};

/** Reports if a sandbox confines commands. If there is no sandbox, also reports the consequence. */
export function checkSandbox(state: SandboxState): DoctorCheck {
  return { name: 'sandbox', ...SANDBOX[state] };
}

/**
 * Reports the test of one protection of the sandbox. A missing protection is a failure. The reason: if a sandbox works,
 * mode `auto` runs commands without a question.
 */
export function checkPromise({ promise, kept }: TriedPromise): DoctorCheck {
  const name = 'sandbox';
  if (kept) return { name, state: 'good', found: promise };
  return {
    name,
    state: 'failed',
    found: `not kept: ${promise}`,
    next: 'use mode ask on this machine, and report the failure',
  };
}
