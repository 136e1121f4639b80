// Tests agent files: fields, limits, and files that are skipped with a reason.

import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rootWith } from '../../tests/room.ts';
import { createAgentShelf } from './agent-shelf.ts';
import { agentRoots, findAgents } from './find-agents.ts';

const file = (fields: string, text = 'Do it.'): string => `---\ndescription: About it.\n${fields}---\n\n${text}\n`;

test('an agent file has a role, tools as a list or a text, a model, an effort and limits', async () => {
  const root = await rootWith({
    'reviewer.md': file(
      'tools: [read, grep, "github__*"]\nmodel: haiku\neffort: low\nmaxSteps: 9\nmaxCost: 0.5\ncolor: red\n',
    ),
    'other.md': file('name: named\ntools: read, grep\nmodel: inherit\n'),
    'notes.txt': 'no agent',
  });
  const { agents, bad } = await findAgents([root]);
  expect(bad).toEqual([]);
  expect(agents).toMatchObject([
    { name: 'named', tools: ['read', 'grep'], role: 'Do it.', source: 'home' },
    {
      name: 'reviewer',
      tools: ['read', 'grep', 'github__*'],
      model: 'haiku',
      effort: 'low',
      limits: { steps: 9, cost: '0.5' },
      description: 'About it.',
    },
  ]);
  expect(agents[0]).not.toHaveProperty('model');
});

test.each([
  ['no front matter', 'Do it.', 'it does not begin with front matter'],
  ['no description', '---\nmodel: opus\n---\nDo it.', 'description: expected a text'],
  ['no text', '---\ndescription: x\n---\n', 'it has no text after its front matter'],
  ['bad YAML', '---\ndescription: [x\n---\nDo it.', 'its front matter is not plain YAML, line'],
  ['an alias', '---\nx: &a 1\ndescription: *a\n---\nDo it.', 'its front matter is not plain YAML'],
  ['a list', '---\n- x\n---\nDo it.', 'its front matter: '],
  ['a misspelled field', file('tool: read\n'), 'tool: there is no such field; did you mean `tools`?'],
  ['a field that would narrow it', file('disallowedTools: Bash\n'), 'disallowedTools: this field is not supported'],
  ['a bad name', file('name: "../x"\n'), 'name: expected 1 to 64 characters'],
  ['a bad tool', file('tools: [Bash(git:*)]\n'), 'expected names of tools'],
  ['bad limits', file('maxSteps: 0\n'), 'maxSteps: expected a whole number above 0'],
  ['control characters', file('', 'a\u001b[31m'), 'its text contains control characters'],
  ['too many bytes', file('', 'x'.repeat(33_000)), 'it is larger than 32768 bytes'],
  ['bytes that are not UTF-8', new Uint8Array([0x2d, 0xff]), 'it is not UTF-8'],
])('a file with %s is skipped with the reason', async (_title, content, reason) => {
  const { agents, bad } = await findAgents([await rootWith({ 'a.md': content })]);
  expect(agents).toEqual([]);
  expect(bad).toEqual([
    { path: expect.stringContaining('a.md'), source: 'home', reason: expect.stringContaining(reason) },
  ]);
});

test('a link that leads out of its root is refused, and a missing root is empty', async () => {
  const secret = await rootWith({ 'secret.md': file('') });
  const root = await rootWith({ 'b.md': file('') });
  await symlink(join(secret.folder, 'secret.md'), join(root.folder, 'a.md'));
  const { agents, bad } = await findAgents([{ folder: join(root.folder, 'missing'), source: 'home' }, root]);
  expect(agents.map(({ name }) => name)).toEqual(['b']);
  expect(bad).toEqual([
    { path: join(root.folder, 'a.md'), source: 'home', reason: 'a symbolic link leads out of its root' },
  ]);
});

test('of two agents with one name the nearer is used, and a bad file does not hide a good one', async () => {
  const near = await rootWith({ 'a.md': file('', 'Near.'), 'b.md': 'bad' }, 'workspace');
  const far = await rootWith({ 'a.md': file('', 'Far.'), 'b.md': file('', 'Far.') });
  const { agents, shadowed, bad } = await findAgents([near, far]);
  expect(agents.map(({ name, role }) => [name, role])).toEqual([
    ['a', 'Near.'],
    ['b', 'Far.'],
  ]);
  expect(shadowed.map(({ agent, by }) => [agent.role, by.role])).toEqual([['Far.', 'Near.']]);
  expect(bad).toHaveLength(1);
});

test('the role and the description are masked, and the list has one safe line for each agent', async () => {
  const key = 'sk-ant-api03-' + 'a1B2c3D4e5'.repeat(9);
  const root = await rootWith({
    'a.md': `---\ndescription: "one\\nline <b> ${key}"\n---\nUse ${key}.`,
  });
  const shelf = createAgentShelf({ roots: [root] });
  await shelf.look();
  expect(shelf.find('a')?.role).not.toContain(key);
  expect(shelf.list?.split('\n')[1]).toMatch(/^- a: one line ‹b› \[/);
  expect(shelf.list).not.toContain(key);
});

test('the list has at most 8,000 bytes and counts the rest', async () => {
  const long = `---\ndescription: ${'x'.repeat(290)}\n---\nDo it.`;
  const names = Array.from({ length: 60 }, (_, index) => [`a${index}.md`, long] as const);
  const shelf = createAgentShelf({ roots: [await rootWith(Object.fromEntries(names))] });
  await shelf.look();
  expect(Buffer.byteLength(shelf.list ?? '')).toBeLessThanOrEqual(8_000);
  expect(shelf.list).toMatch(/And \d+ more, which this list has no room for\.\n$/);
});

test('`agentRoots` returns the folders, nearest first', () => {
  expect(agentRoots({ workspace: '/w', home: '/h', config: '/c' }).map(({ folder }) => folder)).toEqual([
    '/w/.agents/agents',
    '/h/.agents/agents',
    '/c/agents',
  ]);
});
