// Tests the search of skills. The search uses name and description, ignores case, and returns a fixed order.

import { expect, test } from 'vitest';
import { CONTEXT, REAL, rootWith, skill } from '../tests/room.ts';
import { findSkills } from './find-skills.ts';
import { searchSkills } from './search-skills.ts';
import { createSkillSearchTool } from './skill-search-tool.ts';
import { createSkillShelf } from './skill-shelf.ts';

const named = async (query: string, root = REAL): Promise<readonly string[]> =>
  searchSkills((await findSkills([root])).skills, query).map(({ name }) => name);

test('`searchSkills` finds skills by words in the name and in the description', async () => {
  expect(await named('CSV')).toEqual(['csv-cleanup']);
  expect(await named('announcement of a VERSION')).toEqual(['release-notes', 'bug-report']);
  expect(await named('locks on PostgreSQL tables')).toEqual(expect.arrayContaining(['postgres-migration']));
  expect(await named('haiku')).toEqual([]);
});

test('a short word does not match inside a longer word, except in scripts without letters', async () => {
  const root = await rootWith({
    'tax/SKILL.md': skill('tax', '税金を計算する'),
    'pdf/SKILL.md': skill('pdf', 'Fill in forms.'),
  });
  expect(await named('税金', root)).toEqual(['tax']);
  expect(await named('in', root)).toEqual([]);
});

test('the tool shows at most `limit` skills, best match first, and reports the number of further matches', async () => {
  const names = Array.from({ length: 12 }, (_, at) => `tax-${String.fromCodePoint(0x6c - at)}`);
  const root = await rootWith(Object.fromEntries(names.map((name) => [`${name}/SKILL.md`, skill(name, 'Files.')])));
  const tool = createSkillSearchTool(createSkillShelf({ roots: [root] }));
  const found = async (input: object): Promise<readonly string[]> => {
    const run = await tool.read(input);
    return 'problem' in run ? [run.problem] : ((await run.run(CONTEXT)).text ?? '').split('\n');
  };
  expect(await found({ query: 'TAX', limit: 2 })).toEqual([
    '- tax-a: Files.',
    '- tax-b: Files.',
    '[10 more skills match: raise limit, or use more specific words.]',
  ]);
  expect(await found({ query: 'tax' })).toHaveLength(11);
  expect(await found({ query: 'tax', limit: 12 })).toHaveLength(12);
  expect(await found({ query: 'haiku' })).toEqual(['None of the 12 installed skills matches. Search for other words.']);
  expect((await found({ query: 'tax', limit: 0 }))[0]).toMatch(/^`limit` must be an integer ≥ 1 and ≤ 50, got 0/);
});

test('a match in the name has more weight, and equal matches are sorted by name', async () => {
  const root = await rootWith({
    'tax/SKILL.md': skill('tax', 'files'),
    'b/SKILL.md': skill('b', 'tax'),
    'a/SKILL.md': skill('a', 'TAX'),
    'syntax/SKILL.md': skill('syntax', 'trees'),
    'sales-tax/SKILL.md': skill('sales-tax', 'rates'),
  });
  expect(await named('tax', root)).toEqual(['tax', 'sales-tax', 'syntax', 'a', 'b']);
});
