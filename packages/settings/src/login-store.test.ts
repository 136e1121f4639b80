// Tests the store of logins, with and without a keyring.

import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { beforeEach, expect, onTestFinished, test } from 'vitest';

import type { Keyring } from './keyring.ts';
import { openLogins } from './login-store.ts';
import { SettingsError } from './settings-error.ts';

const URL_OF_SHOP = 'https://shop.example/mcp';

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'tidemark-logins-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
});

async function refuse(): Promise<never> {
  throw new SettingsError('settings/no-keyring', 'there is none');
}

const NONE: Keyring = { get: refuse, set: refuse, remove: refuse };

function keyringOf(kept: Map<string, string>): Keyring {
  return {
    get: async (name) => kept.get(name),
    set: async (name, value) => void kept.set(name, value),
    remove: async (name) => kept.delete(name),
  };
}

function onlyFile(): string {
  return join(home, 'logins', readdirSync(join(home, 'logins'))[0] ?? '');
}

test('without a keyring, the login is in a file that only its owner can read', async () => {
  const logins = openLogins({ home, keyring: NONE });
  expect(await logins.load(URL_OF_SHOP)).toBeUndefined();
  await logins.save(URL_OF_SHOP, 'a login');
  expect(statSync(onlyFile()).mode & 0o777).toBe(0o600);
  expect(await openLogins({ home, keyring: NONE }).load(URL_OF_SHOP)).toBe('a login');
  expect(await logins.load('https://other.example/mcp')).toBeUndefined();
  expect([await logins.remove(URL_OF_SHOP), await logins.remove(URL_OF_SHOP)]).toEqual([true, false]);
  expect(await logins.load(URL_OF_SHOP)).toBeUndefined();
});

test('with a keyring, the login is only there', async () => {
  const kept = new Map<string, string>();
  const logins = openLogins({ home, keyring: keyringOf(kept) });
  await logins.save(URL_OF_SHOP, 'a login');
  expect(readFileSync(onlyFile(), 'utf8')).not.toContain('a login');
  expect(await logins.load(URL_OF_SHOP)).toBe('a login');
  await logins.remove(URL_OF_SHOP);
  expect(kept.size).toBe(0);
});

test('a server without a login never asks the keyring', async () => {
  expect(await openLogins({ home, keyring: NONE }).load(URL_OF_SHOP)).toBeUndefined();
});

test('a file that every user can write is refused', async () => {
  const logins = openLogins({ home, keyring: NONE });
  await logins.save(URL_OF_SHOP, 'a login');
  chmodSync(onlyFile(), 0o666);
  await expect(logins.load(URL_OF_SHOP)).rejects.toThrow('can be written by every user');
});
