// Tests the definitions of the tools. Their bytes are part of the cached prefix of every user who has a skill.

import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSkillLoadTool } from './skill-load-tool.ts';
import { createSkillSearchTool } from './skill-search-tool.ts';
import { createSkillShelf } from './skill-shelf.ts';

test('the definitions are pinned, because a change costs every user one cache miss', () => {
  const shelf = createSkillShelf({ roots: [] });
  const tools = [createSkillLoadTool(shelf), createSkillSearchTool(shelf)];
  const digests = tools.map(({ name, description, schema }) => [
    name,
    createHash('sha256').update(JSON.stringify({ name, description, schema })).digest('hex').slice(0, 12),
  ]);
  expect(digests).toMatchInlineSnapshot(`
    [
      [
        "skill_load",
        "1c93ff95a705",
      ],
      [
        "skill_search",
        "1bd77944ae75",
      ],
    ]
  `);
});

test('invalid arguments are reported together with the valid ones', () => {
  const shelf = createSkillShelf({ roots: [] });
  expect(createSkillLoadTool(shelf).read({ nam: 'tax' })).toMatchObject({
    problem:
      '`name` is missing: it must be a string; there is no field `nam` (did you mean `name`?). The arguments are name, file.',
  });
  expect(createSkillSearchTool(shelf).read({ query: ' ' })).toMatchObject({
    problem: expect.stringMatching(/^`query` must be a string that is not blank, got " "\./),
  });
});
