// Stores the keys of providers in the keyring of the system (Keychain, Credential Manager, Secret Service). The native
// library is loaded only when a key is requested. A message never contains a key.

import type { AsyncEntry } from '@napi-rs/keyring';

import { SettingsError } from './settings-error.ts';

/**
 * Store of keys by the name of the provider. Each method throws SettingsError `settings/no-keyring` if no keyring can
 * be used.
 */
export interface Keyring {
  get(provider: string): Promise<string | undefined>;
  set(provider: string, key: string): Promise<void>;
  /** Removes the key. Returns true if a key was stored. */
  remove(provider: string): Promise<boolean>;
}

const SERVICE = 'tidemark';

/** Returns the keyring of the user's session. */
export function systemKeyring(): Keyring {
  return {
    get: (provider) => withEntry(provider, async (entry) => (await entry.getPassword()) ?? undefined),
    set: (provider, key) => withEntry(provider, (entry) => entry.setPassword(key)),
    remove: (provider) => withEntry(provider, (entry) => entry.deletePassword()),
  };
}

/**
 * Maximum time to wait for an answer of the keyring, in milliseconds. The keyring may ask the user to unlock it while
 * the user is away.
 */
const MAX_MS = 60_000;

function silence(): Promise<never> {
  const signal = AbortSignal.timeout(MAX_MS);
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error(`no answer within ${MAX_MS / 1000} seconds`)));
  });
}

async function withEntry<Result>(provider: string, use: (entry: AsyncEntry) => Promise<Result>): Promise<Result> {
  try {
    const library = await import('@napi-rs/keyring');
    // Without this option, the library can use the keyring in the memory of the Linux kernel instead. That keyring is
    // cleared at a restart.
    const entry = new library.AsyncEntry(SERVICE, provider, { linux: { store: 'secret-service' } });
    return await Promise.race([use(entry), silence()]);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n', 1)[0] : 'unknown';
    throw new SettingsError('settings/no-keyring', `the system keyring cannot be used: ${reason}`, {}, error);
  }
}
