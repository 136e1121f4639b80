// Stores the logins at MCP servers: in the keyring of the system, or if there is none in a file of the user. A login is
// bound to the address of its server.

import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { parseJson } from '@tidemark/log';
import { z } from 'zod';

import type { Keyring } from './keyring.ts';
import { readOwnFile, replaceOwnFile } from './own-file.ts';
import { SettingsError } from './settings-error.ts';

/** Store of logins by the address of the server. */
export interface LoginStore {
  /** Returns the login, or `undefined` if there is none. */
  load(url: string): Promise<string | undefined>;
  save(url: string, login: string): Promise<void>;
  /** Removes the login. Returns true if there was one. */
  remove(url: string): Promise<boolean>;
}

/**
 * Opens the store. Its file names each login, also one in the keyring. A server without a login therefore never asks the
 * user to unlock the keyring.
 */
export function openLogins({ home, keyring }: { readonly home: string; readonly keyring: Keyring }): LoginStore {
  const pathOf = (url: string): string =>
    join(home, 'logins', `${createHash('sha256').update(url).digest('hex')}.json`);
  return {
    async load(url) {
      const kept = await readKept(pathOf(url));
      return kept?.login ?? (kept === undefined ? undefined : keyring.get(entryOf(url)));
    },
    async save(url, login) {
      const inKeyring = await keptInKeyring(keyring, url, login);
      const kept: KeptLogin = inKeyring ? { revision: 1, url } : { revision: 1, url, login };
      await replaceOwnFile(pathOf(url), `${JSON.stringify(kept)}\n`);
    },
    async remove(url) {
      const kept = await readKept(pathOf(url));
      if (kept === undefined) return false;
      if (kept.login === undefined) await keyring.remove(entryOf(url));
      await rm(pathOf(url), { force: true });
      return true;
    },
  };
}

const keptLogin = z.strictObject({
  revision: z.literal(1),
  url: z.string(),
  /** The login itself, if it is not in the keyring. */
  login: z.string().exactOptional(),
});

type KeptLogin = z.infer<typeof keptLogin>;

/** @throws SettingsError `settings/unreadable` for a file that another user can write, or that is damaged. */
async function readKept(path: string): Promise<KeptLogin | undefined> {
  const { text, problem } = await readOwnFile(path);
  if (problem !== undefined)
    throw new SettingsError('settings/unreadable', `the login in ${path} is not used: it ${problem}`, { path });
  if (text === undefined) return undefined;
  try {
    return keptLogin.parse(parseJson(text));
  } catch (cause) {
    throw new SettingsError('settings/unreadable', `${path} does not contain a login`, { path }, cause);
  }
}

function entryOf(url: string): string {
  return `mcp ${url}`;
}

async function keptInKeyring(keyring: Keyring, url: string, login: string): Promise<boolean> {
  try {
    await keyring.set(entryOf(url), login);
    return true;
  } catch (error) {
    // Without a keyring, or if the login is too long for it, the file contains the login.
    if (error instanceof SettingsError && error.code === 'settings/no-keyring') return false;
    throw error;
  }
}
