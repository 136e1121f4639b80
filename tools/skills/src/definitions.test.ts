// What the tools are to a model: bytes in the cached prefix of everybody who has a skill.

import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSkillLoadTool } from './skill-load-tool.ts';
import { createSkillSearchTool } from './skill-search-tool.ts';
import { createSkillShelf } from './skill-shelf.ts';

test('a definition is changed knowingly: each user pays for it once', () => {
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
        "8359f47b2ff1",
      ],
      [
        "skill_search",
        "2934ec9df386",
      ],
    ]
  `);
});

test('arguments that cannot be used are said with what there is', () => {
  const shelf = createSkillShelf({ roots: [] });
  expect(createSkillLoadTool(shelf).read({ nam: 'tax' })).toMatchObject({
    problem: expect.stringMatching(/It takes name, file\.$/),
  });
  expect(createSkillSearchTool(shelf).read({ query: ' ' })).toMatchObject({
    problem: expect.stringMatching(/^query: /),
  });
});
