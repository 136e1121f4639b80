// Search: by name and description, without regard to case, in an order that does not change.

import { expect, test } from 'vitest';
import { REAL, rootWith, skill } from '../tests/room.ts';
import { findSkills } from './find-skills.ts';
import { searchSkills } from './search-skills.ts';

const named = async (query: string, root = REAL): Promise<readonly string[]> =>
  searchSkills((await findSkills([root])).skills, query).map(({ name }) => name);

test('finds by words of the name and of the description', async () => {
  expect(await named('CSV')).toEqual(['csv-cleanup']);
  expect(await named('announcement of a VERSION')).toEqual(['release-notes', 'bug-report']);
  expect(await named('locks on PostgreSQL tables')).toEqual(expect.arrayContaining(['postgres-migration']));
  expect(await named('haiku')).toEqual([]);
});

test('the name weighs more, and a tie goes by name', async () => {
  const root = await rootWith({
    'tax/SKILL.md': skill('tax', 'files'),
    'b/SKILL.md': skill('b', 'tax'),
    'a/SKILL.md': skill('a', 'TAX'),
    'syntax/SKILL.md': skill('syntax', 'trees'),
    'sales-tax/SKILL.md': skill('sales-tax', 'rates'),
  });
  expect(await named('tax', root)).toEqual(['tax', 'sales-tax', 'syntax', 'a', 'b']);
});
