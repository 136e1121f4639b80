// Tests the errors of a database of rows.

import { expect, test } from 'vitest';

import { openRows } from './open-rows.ts';

test('an error after which SQLite has already rolled back is the one that is reported, such as a full disk', () => {
  const rows = openRows(undefined, { rules: 'test', names: ['one'], create: 'CREATE TABLE one (id INTEGER UNIQUE)' });
  const insert = (): void => rows.database.exec('INSERT OR ROLLBACK INTO one VALUES (1)');
  rows.transact(insert);
  expect(() => rows.transact(insert)).toThrow('UNIQUE constraint failed');
  expect(rows.query('SELECT id FROM one')).toHaveLength(1);
  rows.close();
});

test('a full disk is named, and the database works again when there is space', () => {
  const rows = openRows(undefined, { rules: 'test', names: ['one'], create: 'CREATE TABLE one (text TEXT)' });
  const fill = (): void => rows.database.exec(`INSERT INTO one VALUES ('${'a'.repeat(100_000)}')`);
  rows.database.exec('PRAGMA max_page_count = 10');
  expect(() => rows.transact(fill)).toThrow(expect.objectContaining({ code: 'analytics/full' }));
  rows.database.exec('PRAGMA max_page_count = 1000');
  rows.transact(fill);
  expect(rows.query('SELECT 1 FROM one')).toHaveLength(1);
  rows.close();
});
