// Tests the places in which OpenCode keeps its sessions.

import { expect, test } from 'vitest';
import { openCodePlaces } from '../../src/import/opencode/opencode-places.ts';

const placesIn = (environment: Readonly<Record<string, string>>) =>
  openCodePlaces({ userFolder: '/home/a', environment });

test('the sessions of OpenCode are in databases, and in a folder of older versions', () => {
  const home = '/home/a/.local/share/opencode';
  expect(placesIn({}).map(({ folder }) => folder)).toEqual([home, `${home}/storage/session`]);
  expect(placesIn({ XDG_DATA_HOME: '/data' })[0]?.folder).toBe('/data/opencode');
  expect(placesIn({ XDG_DATA_HOME: 'relative' })[0]?.folder).toBe(home);
});

test('the databases of OpenCode include those of test channels and no other file', () => {
  const [database, folder] = placesIn({});
  const names = [
    'opencode.db',
    'opencode-dev.db',
    'opencode.db-wal',
    'opencode.db-shm',
    'auth.json',
    'snapshot/opencode.db',
  ];
  expect(names.filter((name) => database?.files.test(name))).toEqual(names.slice(0, 2));
  expect(database?.depth).toBe(0);
  const files = ['global/ses_1.json', 'ses_1.json', 'global/info.json'];
  expect(files.filter((name) => folder?.files.test(name))).toEqual(files.slice(0, 1));
});

test('`OPENCODE_DB` names one more database, relative to the folder of OpenCode', () => {
  const own = placesIn({ OPENCODE_DB: 'my+shop.sqlite' })[2];
  expect([own?.folder, own?.files.test('my+shop.sqlite'), own?.files.test('myyshop.sqlite')]).toEqual([
    '/home/a/.local/share/opencode',
    true,
    false,
  ]);
  expect(placesIn({ OPENCODE_DB: '/data/shop.db' })[2]?.folder).toBe('/data');
  expect(placesIn({ OPENCODE_DB: ':memory:' })).toHaveLength(2);
});
