import { expect, test } from 'vitest';
import { isConnectionHeader } from '@tidemark/core';
import { headerSettings } from './headers.ts';

const ADDRESS = 'https://gateway.example';

/** Returns the problems of headers for an address. */
function problemsOf(headers: object, address: string = ADDRESS): readonly string[] {
  const read = headerSettings.safeParse({ [address]: headers });
  return read.success ? [] : read.error.issues.map(({ message }) => message);
}

test.each(['Content-Length', 'host', 'EXPECT', 'Upgrade', 'transfer-encoding'])(
  'the header %s is refused, because the connection sets it or cannot send it',
  (name) => {
    expect(problemsOf({ [name]: 'a' })).toEqual([`${name} is set by the connection itself: remove it`]);
    expect(problemsOf({ [name]: { variable: 'A' } })).toHaveLength(1);
    expect(isConnectionHeader(name)).toBe(true);
  },
);

test.each([
  ['a credential as text', { 'x-api-key': 'a' }],
  ['`Authorization`, also from a variable', { authorization: { variable: 'A' } }],
  ['a name that is no token', { 'a b': 'c' }],
  ['an empty value', { 'x-team': '' }],
  ['a value with a line break', { 'x-team': 'a\nb: c' }],
  ['a variable that is no name', { 'x-team': { variable: 'a b' } }],
])('a setting is refused: %s', (_title, headers) => {
  expect(problemsOf(headers)).toHaveLength(1);
});

test.each(['https://gateway.example/v1', 'gateway.example', 'https://a:b@gateway.example', 'file:///etc', '*'])(
  'the address %j is refused, because headers belong to an origin',
  (address) => {
    expect(problemsOf({ 'x-team': 'a' }, address)).toHaveLength(1);
  },
);

test('other headers are accepted, as text or from a variable', () => {
  expect(problemsOf({ 'X-Team': 'search', 'x-key': { variable: 'GATEWAY_KEY' }, __proto__: null })).toEqual([]);
});
