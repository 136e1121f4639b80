import { expect, test } from 'vitest';
import { accountName } from './service.ts';

const ONE = { name: 'one', title: 'One' };
const OTHER = { name: 'other', title: 'Other' };
const HERE = 'https://one.example/v1';
const KEY = 'k'.repeat(20);

test('`accountName` depends on service, key and address, and does not reveal the key', () => {
  const name = accountName(ONE, KEY, HERE);
  expect(name).toMatch(/^[0-9a-f]{12}$/);
  expect(accountName(ONE, ` ${KEY}\n`, HERE)).toBe(name);
  expect(accountName(ONE, `${KEY}k`, HERE)).not.toBe(name);
  expect(accountName(OTHER, KEY, HERE)).not.toBe(name);
  expect(accountName(ONE, KEY, 'https://other.example/v1')).not.toBe(name);
});

test('the account name of a short key equals the account names of thousands of guessed keys', () => {
  const guesses = Array.from({ length: 60_000 }, (_, guess) => accountName(ONE, `guess ${guess}`, HERE));
  const short = accountName(ONE, 'a password', HERE);
  expect(short).toMatch(/^[0-9a-f]{3}$/);
  expect(guesses.filter((guess) => guess === short).length).toBeGreaterThan(3);
});

test('`accountName` returns undefined without a key', () => {
  expect(accountName(ONE, ' ', HERE)).toBeUndefined();
});
