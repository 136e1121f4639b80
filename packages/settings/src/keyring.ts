// The keys of providers in the keyring of the system (Keychain, Credential Manager, Secret Service). The native library is
// loaded when a key is asked for, and not before. A key is never part of a message.

import type { AsyncEntry } from '@napi-rs/keyring';

import { SettingsError } from './settings-error.ts';

/** Where keys are kept, by the name of a provider. Each method throws SettingsError `settings/no-keyring` where none can be used. */
export interface Keyring {
  get(provider: string): Promise<string | undefined>;
  set(provider: string, key: string): Promise<void>;
  /** Whether there was one. */
  remove(provider: string): Promise<boolean>;
}

const SERVICE = 'tidemark';

/** The keyring of the user's session. */
export function systemKeyring(): Keyring {
  return {
    get: (provider) => withEntry(provider, async (entry) => (await entry.getPassword()) ?? undefined),
    set: (provider, key) => withEntry(provider, (entry) => entry.setPassword(key)),
    remove: (provider) => withEntry(provider, (entry) => entry.deletePassword()),
  };
}

/** A keyring may ask its user to unlock it, and nobody may be there. */
const MOST_MS = 60_000;

function silence(): Promise<never> {
  const signal = AbortSignal.timeout(MOST_MS);
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error(`no answer within ${MOST_MS / 1000} seconds`)));
  });
}

async function withEntry<Result>(provider: string, use: (entry: AsyncEntry) => Promise<Result>): Promise<Result> {
  try {
    const library = await import('@napi-rs/keyring');
    // Else Linux falls back to the kernel's memory, which forgets at a restart.
    const entry = new library.AsyncEntry(SERVICE, provider, { linux: { store: 'secret-service' } });
    return await Promise.race([use(entry), silence()]);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n', 1)[0] : 'unknown';
    throw new SettingsError('settings/no-keyring', `the keyring of this system cannot be used: ${reason}`, {}, error);
  }
}
